package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.drawn.Contract;
import dev.runlane.conformance.drawn.Drawing;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.model.Names;
import dev.runlane.conformance.model.jobs.JobCommand;
import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The contract of job stores. */
public final class JobContract implements Contract<JobStore, JobModel> {
  private static final Instant NOW = Instant.parse("2026-03-04T12:00:00Z");

  /** Queues that are cleared may leave copies of failed parents in others, but no more often than this. */
  private static final int MOST_ROUNDS = 5;

  /** When nobody has registered a webhook for long. */
  private static final Instant LATER = Instant.parse("9500-01-01T00:00:00Z");

  private final boolean withWebhooks;

  /** Of every job store. */
  public JobContract() {
    this(false);
  }

  private JobContract(boolean withWebhooks) {
    this.withWebhooks = withWebhooks;
  }

  /** Of those that keep ends for webhooks: many commands are about these. */
  public static JobContract withWebhooks() {
    return new JobContract(true);
  }

  @Override
  public JobModel model(Names names) {
    return new JobModel(names);
  }

  @Override
  public Drawing drawing(long seed, JobModel model, JobStore store, boolean alone) {
    return new JobDrawing(seed, model, command -> isPossible(model, command), withWebhooks);
  }

  @Override
  public boolean isPossible(JobModel model, Object command) {
    return !model.isOpenWhatFollows((JobCommand) command);
  }

  @Override
  public Future<@Nullable Object> answer(JobStore store, Object command) {
    return ((JobCommand) command).to(store).map(answer -> answer);
  }

  @Override
  public @Nullable Object expected(JobModel model, Object command, @Nullable Object answer) {
    return model.answer((JobCommand) command, answer);
  }

  /** Some questions are about all queues, so that one sequence leaves nothing to the next. */
  @Override
  public void clear(JobStore store, JobModel model) {
    Set<String> queues = new TreeSet<>(model.queues());
    for (int round = 0; round < MOST_ROUNDS && !queues.isEmpty(); round++) {
      queues.forEach(queue -> Outcomes.done(store.obliterate(queue, Obliterate.FORCED, NOW)));
      queues = Outcomes.done(store.listQueues()).stream()
          .map(QueueInfo::name)
          .collect(Collectors.toCollection(TreeSet::new));
    }
    if (withWebhooks) {
      forgetWebhooks(store);
      forgetWebhooks(store);
    }
  }

  /** A store may forget what webhooks are owed first, and the webhooks themselves the next time. */
  private static void forgetWebhooks(JobStore store) {
    Outcomes.done(
        store.webhooks().orElseThrow().registerWebhooks(new RegisterJobWebhooks(Map.of(), LATER)));
  }
}
