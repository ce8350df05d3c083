package dev.runlane.runtime.create;

import dev.runlane.json.JsonValues;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Json;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.process.PublishedPolicies;
import dev.runlane.runtime.process.RunCreations;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.publish.EagerPublisher;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.registry.RegisteredTask;
import dev.runlane.runtime.task.CreatedRun;
import dev.runlane.runtime.task.PreparedRun;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Creates runs for callers and, where they want it at once, has their wakeups published behind the commit: no caller
 * waits for a transport, and no failure of one reaches a caller.
 *
 * @param newRuns checks and resolves
 * @param creations where runs are created
 * @param batch creates many at once, if the storage can
 * @param eager publishes behind the triggers; empty where nothing may be claimed or published, as in a caller's
 *     transaction
 * @param waking creates runs whose wakeups the storage sends itself, which is cheaper; empty where it cannot, and in a
 *     caller's transaction
 * @param context options and registry
 */
public record Triggers(
    NewRuns newRuns,
    RunCreations creations,
    Optional<BatchStorage> batch,
    Optional<EagerPublisher> eager,
    Optional<WakingCreations> waking,
    RuntimeContext context) {
  /** Most payloads of one call. */
  static final int MOST_PAYLOADS = 10_000;

  public static Triggers of(RuntimeContext context, NewRuns newRuns) {
    boolean publishes = !context.registry().isOperatorOnly()
        && context.storage().capabilities().contains(StorageCapability.PERSISTS_OUTBOX);
    return new Triggers(
        newRuns,
        context.creations(),
        context.batch(),
        publishes
            ? Optional.of(new EagerPublisher(context, eagerOptions(context)))
            : Optional.empty(),
        publishes
            ? context
                .waking()
                .map(view ->
                    new WakingCreations(view, context.creations().waking(view), view.batch()))
            : Optional.empty(),
        context);
  }

  public <P> Future<TriggerResult> trigger(
      TaskDescription<P> task, P payload, TriggerOptions options) {
    return Future.<Void>succeededFuture().compose(start -> {
      RegisteredTask<P> registered = context.registry().require(task);
      return create(
          newRuns.triggered(registered, registered.codec().encode(payload), options), options);
    });
  }

  /** See {@code Runlane.prepare}. */
  public <P> PreparedRun prepare(TaskDescription<P> task, P payload, TriggerOptions options) {
    if (task.refusesOtherPayload()) {
      throw RunlaneException.configurationInvalid(
          "task %s refuses another payload under one key, which only a trigger of the runtime's own can",
          task.id());
    }
    RegisteredTask<P> registered = context.registry().require(task);
    NewRun run = newRuns.triggered(registered, registered.codec().encode(payload), options);
    return new PreparedRun(
        run.runId(),
        run.taskId(),
        run.queue(),
        run.payload(),
        run.runAt(),
        run.keys(),
        run.actor(),
        run.traceCarrier(),
        run.tags());
  }

  public Future<TriggerResult> triggerJson(String taskId, String payload, TriggerOptions options) {
    return Future.<Void>succeededFuture().compose(start -> {
      if (context.registry().isOperatorOnly()) {
        return triggerElsewhere(taskId, payload, options);
      }
      RegisteredTask<?> registered = context.registry().requireTask(taskId);
      return create(
          newRuns.triggered(registered, registered.codec().check(payload), options), options);
    });
  }

  /** A run of a task of other processes, by what they say of its triggers, if any does. */
  private Future<TriggerResult> triggerElsewhere(
      String taskId, String payload, TriggerOptions options) {
    Identifiers.requireId("taskId", taskId);
    return context
        .publishedTask(taskId)
        .map(known -> known.map(KnownTask::task).map(RuntimeTask::rules))
        .compose(
            rules -> triggerElsewhere(taskId, rules.orElse(TriggerRules.UNTOLD), payload, options));
  }

  /**
   * A run of a task of other processes, in the queue that the options name, with the keys that they give.
   *
   * @param rules what a process that has the task said of its triggers
   */
  public Future<TriggerResult> triggerElsewhere(
      String taskId, TriggerRules rules, String payload, TriggerOptions options) {
    String queue = options
        .getQueue()
        .map(TaskQueue::name)
        .orElseThrow(() -> RunlaneException.validationFailed(
            "this runtime does not know the queue of task %s: name one", taskId));
    Json json = JsonValues.parse(
        "the payload of task " + taskId, payload, context.options().payloadLimits());
    PublishedPolicies published = context.publishedPolicies();
    return published
        .find(queue)
        .map(found -> found.orElseGet(() -> {
          if (published.areKept()) {
            throw RunlaneException.validationFailed(
                "no living process has queue %s, so nobody would take a run of it", queue);
          }
          return QueuePolicy.unbounded(queue);
        }))
        .compose(
            policy -> create(newRuns.triggered(taskId, rules, policy, json, options), options));
  }

  public <P> Future<List<TriggerResult>> triggerAll(
      TaskDescription<P> task, List<P> payloads, TriggerOptions options) {
    return Future.<Void>succeededFuture().compose(start -> {
      RegisteredTask<P> registered = context.registry().require(task);
      if (payloads.size() > MOST_PAYLOADS) {
        throw RunlaneException.validationFailed(
            "one call takes at most %d payloads, but got %d", MOST_PAYLOADS, payloads.size());
      }
      if (options.getRunId().isPresent() && payloads.size() > 1) {
        throw RunlaneException.validationFailed("many runs cannot share one run id");
      }
      List<NewRun> wanted = new ArrayList<>();
      for (P payload : payloads) {
        Json json = registered.codec().encode(payload);
        wanted.add(newRuns.triggered(registered, json, options));
      }
      return creations.requireSamePayloads(wanted).compose(same -> createAll(wanted, options));
    });
  }

  /** Creates a run and has its wakeup published as the options say. */
  public Future<TriggerResult> create(NewRun wanted, TriggerOptions options) {
    if (!wantsEager(options)) {
      return creations.create(wanted).map(TriggerResult::of);
    }
    if (waking.isPresent()) {
      return waking.get().creations().create(wanted).map(TriggerResult::of);
    }
    if (!isOpen()) {
      return creations.create(wanted).map(TriggerResult::of);
    }
    return creations
        .createClaimingOutbox(wanted, context.options().getOutboxClaim())
        .map(created -> {
          publish(created.claimedOutbox());
          return TriggerResult.of(created);
        });
  }

  private Future<List<TriggerResult>> createAll(List<NewRun> wanted, TriggerOptions options) {
    Optional<WakingCreations> wakes = waking.filter(view -> wantsEager(options));
    Optional<BatchStorage> many = wakes.isPresent() ? wakes.get().batch() : batch;
    if (many.isEmpty() || wanted.isEmpty()) {
      return Future.all(wanted.stream().map(each -> create(each, options)).toList())
          .map(all -> all.<TriggerResult>list());
    }
    RunCreations by = wakes.map(WakingCreations::creations).orElse(creations);
    boolean claims = wakes.isEmpty() && wantsEager(options) && isOpen();
    List<AppendRunEvents> commands = wanted.stream()
        .map(by::command)
        .map(command ->
            claims ? command.claimingOutboxFor(context.options().getOutboxClaim()) : command)
        .toList();
    return many.get()
        .appendAll(commands)
        .compose(outcomes -> answers(by, wanted, commands, outcomes))
        .map(created -> created.stream().map(TriggerResult::of).toList());
  }

  /** An owner of a key answers for its run; a run that lost to an owner that is gone is tried by itself. */
  private Future<List<CreatedRun>> answers(
      RunCreations by,
      List<NewRun> wanted,
      List<AppendRunEvents> commands,
      List<CommandOutcome<AppendedRun>> outcomes) {
    List<@Nullable CreatedRun> answers = new ArrayList<>(outcomes.size());
    List<Future<?>> resolved = new ArrayList<>(); // of those that lost
    List<ClaimedOutboxMessage> claimed = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      NewRun run = wanted.get(i);
      if (outcomes.get(i) instanceof CommandOutcome.Succeeded<AppendedRun> succeeded) {
        CreatedRun created = by.created(succeeded.result(), commands.get(i));
        claimed.addAll(created.claimedOutbox());
        answers.add(created);
      } else {
        int place = i;
        RunlaneException failure = ((CommandOutcome.Failed<AppendedRun>) outcomes.get(i)).failure();
        answers.add(null); // until it is known
        resolved.add(by.resolve(run, failure).onSuccess(answer -> answers.set(place, answer)));
      }
    }
    publish(claimed); // also where another run of the call fails it
    Future<?> known = resolved.isEmpty() ? Future.succeededFuture() : Future.join(resolved);
    return known.map(all -> answers.stream().map(Objects::requireNonNull).toList());
  }

  private boolean wantsEager(TriggerOptions options) {
    return options.getDispatch().orElse(context.options().getDispatchOnTrigger())
        == DispatchMode.EAGER;
  }

  private boolean isOpen() {
    return eager.filter(EagerPublisher::isOpen).isPresent();
  }

  /** Completes when no wakeup of a trigger waits to be published any more. On the home context. */
  public Future<Void> published() {
    return Future.join(
            eager.map(EagerPublisher::drained).orElse(Future.succeededFuture()),
            waking.map(view -> view.storage().close()).orElse(Future.succeededFuture()))
        .mapEmpty();
  }

  private void publish(List<ClaimedOutboxMessage> claimed) {
    eager.ifPresent(publisher -> publisher.publish(claimed));
  }

  private static OutboxPublisherOptions eagerOptions(RuntimeContext context) {
    OutboxPublisherOptions options = new OutboxPublisherOptions();
    Duration claim = context.options().getOutboxClaim();
    Duration half = claim.dividedBy(2);
    return options
        .setClaimDuration(claim)
        .setPublishTimeout(
            options.getPublishTimeout().compareTo(half) < 0 ? options.getPublishTimeout() : half);
  }
}
