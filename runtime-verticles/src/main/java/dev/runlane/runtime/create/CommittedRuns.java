package dev.runlane.runtime.create;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.PreparedRun;
import dev.runlane.timing.FailureLog;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.AsyncResult;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs that somebody else has stored and committed, such as a transaction over JDBC: observers are told, and workers of
 * other processes woken where this one has no outbox publisher that would.
 */
public final class CommittedRuns {
  private static final Logger LOG = LoggerFactory.getLogger(CommittedRuns.class);

  private final RuntimeContext context;
  private final FailureLog failures; // touched on the home context

  /** Nothing was committed yet. */
  public CommittedRuns(RuntimeContext context) {
    this.context = context;
    failures = new FailureLog(LOG, "wakeups of runs that were committed", context.timers());
  }

  /** This one is. For any thread. */
  public void committed(PreparedRun run) {
    NewRun stored = new NewRun(
        run.runId(),
        run.taskId(),
        run.queue(),
        run.payload(),
        run.runAt(),
        run.keys(),
        RunSource.TRIGGER,
        run.actor(),
        run.traceCarrier(),
        null,
        run.tags(),
        false);
    context.host().execute(() -> {
      RunRecord record = context.creations().command(stored).projectedRun();
      context.observer().runCreated(record);
      if (record.status() == RunStatus.QUEUED
          && !run.queue().isBounded()
          && context.options().getDispatchOnTrigger() == DispatchMode.EAGER
          && !context.notifications().hasOutboxListener()) {
        wake(record);
      }
    });
  }

  /** Its outbox message is nobody's yet: a publisher that finds it wakes a second time, which finds nothing to do. */
  private void wake(RunRecord run) {
    DeliveryMessage wakeup = new DeliveryMessage(
        run.environment(), run.id(), run.queue(), run.createdAt(), run.traceCarrier());
    context
        .transport()
        .publishWakeups(new PublishWakeups(List.of(
            new PublishWakeups.Attempt(run.id(), run.id(), wakeup, run.keys().concurrencyKey()))))
        .onComplete(published -> context.host().execute(() -> tell(published)));
  }

  private void tell(AsyncResult<List<WakeupPublishOutcome>> published) {
    if (published.failed()) {
      failures.failed(published.cause(), "the sweeps of outbox publishers find the runs");
    } else if (published.result().get(0) instanceof WakeupPublishOutcome.Failed refused) {
      failures.noticed("one is refused and left to a sweep: " + refused.failure());
    } else {
      failures.succeeded();
    }
  }
}
