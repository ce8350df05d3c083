package dev.runlane.runtime;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A transport that takes every wakeup and writes it down, unless told otherwise. */
public final class ScriptedTransport implements TransportAdapter {
  private final Deque<Function<PublishWakeups, Future<List<WakeupPublishOutcome>>>> script =
      new ArrayDeque<>();
  private final List<String> published = new ArrayList<>(); // run ids
  private final List<Integer> batches = new ArrayList<>();
  private @Nullable List<QueuePolicy> queues;
  private Runnable afterPublish = () -> {};

  ScriptedTransport boundTo(QueuePolicy... policies) {
    queues = List.of(policies);
    return this;
  }

  /** Answers the next call in another way. */
  public void next(Function<PublishWakeups, Future<List<WakeupPublishOutcome>>> step) {
    script.add(step);
  }

  public void failNext(RunlaneException failure) {
    next(command -> Future.failedFuture(failure));
  }

  /** Refuses the first wakeup of the next call and takes the others. */
  public void refuseFirstOfNext(boolean retryable) {
    next(command -> {
      List<WakeupPublishOutcome> outcomes = new ArrayList<>(take(command));
      published.remove(published.size() - outcomes.size());
      outcomes.set(
          0,
          new WakeupPublishOutcome.Failed(new FailureRecord(
              ErrorCode.TRANSPORT_PUBLISH_FAILED, "refused by this test", retryable, null)));
      return Future.succeededFuture(outcomes);
    });
  }

  /** Something happens once the provider has taken the wakeups, before anybody learns of it. */
  public void afterPublish(Runnable action) {
    afterPublish = action;
  }

  public static RunlaneException outage() {
    return RunlaneException.unavailable(
        ErrorCode.TRANSPORT_UNAVAILABLE, null, "the transport of this test is down");
  }

  /** The runs of the wakeups taken so far, in order. */
  public List<String> published() {
    return List.copyOf(published);
  }

  /** How many wakeups each call carried. */
  public List<Integer> batches() {
    return List.copyOf(batches);
  }

  @Override
  public Set<TransportCapability> capabilities() {
    return Set.of();
  }

  @Override
  public Optional<List<QueuePolicy>> queues() {
    return Optional.ofNullable(queues);
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    batches.add(command.attempts().size());
    Function<PublishWakeups, Future<List<WakeupPublishOutcome>>> step = script.poll();
    return step == null ? Future.succeededFuture(take(command)) : step.apply(command);
  }

  public List<WakeupPublishOutcome> take(PublishWakeups command) {
    command.attempts().forEach(attempt -> published.add(attempt.message().runId()));
    afterPublish.run();
    return command.attempts().stream()
        .<WakeupPublishOutcome>map(attempt -> new WakeupPublishOutcome.Published("provider-1"))
        .toList();
  }
}
