package dev.runlane.runtime.worker;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.attempt.Attempts;
import dev.runlane.runtime.lease.Claims;
import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.process.RetryBudget;
import dev.runlane.runtime.process.RunCreations;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.run.AppendRunEvents;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;

/** Creates a run, leases and starts it in one step, and makes one attempt here. */
public record RunNow(
    RuntimeContext context, RunCreations creations, Claims claims, Attempts attempts) {
  private static final int TRIES = 3;

  /** Completes when the attempt is closed; with the owner of the key instead, where another run has it. */
  public Future<TriggerResult> run(NewRun wanted, String workerId, Executor executor) {
    return run(wanted, workerId, executor, new RetryBudget(context.timers(), TRIES));
  }

  private Future<TriggerResult> run(
      NewRun wanted, String workerId, Executor executor, RetryBudget tries) {
    Duration sentAt = context.timers().elapsed();
    return context
        .pauses()
        .requireRunning(wanted.queue().queue())
        .compose(running -> claims.agreedNow())
        .compose(now -> context.storage().appendRunEvents(command(wanted, workerId, now)))
        .map(appended -> {
          context.observer().runCreated(appended.run());
          return appended.run();
        })
        .transform((started, failure) -> failure == null
            ? execute(started, sentAt, executor)
            : creations.owner(wanted, failure).compose(owner -> {
              if (owner.isPresent()) {
                return Future.succeededFuture(TriggerResult.of(owner.get()));
              }
              return RunCreations.isOwnerConflict(failure) && tries.tryNext()
                  ? run(wanted, workerId, executor, tries)
                  : Future.failedFuture(failure);
            }));
  }

  private Future<TriggerResult> execute(RunRecord started, Duration sentAt, Executor executor) {
    return attempts
        .start(List.of(started), sentAt, executor)
        .get(0)
        .closed()
        .compose(run -> run.map(done ->
                Future.succeededFuture(new TriggerResult(done, TriggerOutcome.CREATED, true)))
            .orElseGet(() -> Future.failedFuture(RunlaneException.conflict(
                StorageConflictKind.LEASE_OWNERSHIP,
                "the lease of run %s ended while this process ran it",
                started.id()))));
  }

  private AppendRunEvents command(NewRun wanted, String workerId, Instant now) {
    EventHeader header = new EventHeader(
        context.environment(),
        wanted.runId(),
        wanted.actor(),
        now,
        wanted.traceCarrier(),
        wanted.meta());
    List<RunEvent> events = List.of(
        new RunEvent.Created(
            header,
            wanted.taskId(),
            wanted.queue().queue(),
            wanted.payload(),
            null,
            wanted.keys(),
            wanted.source(),
            wanted.tags()),
        new RunEvent.LeaseClaimed(header.withMeta(null), claims.newLease(workerId, now)),
        new RunEvent.Started(header.withMeta(null), 1));
    RunRecord projected =
        RunReducer.projectRunEvents(null, ContractDefaults.NEW_EVENT_SEQUENCE, events);
    return AppendRunEvents.of(projected, events, now).in(wanted.queue());
  }
}
