package dev.runlane.drills.worker;

import dev.runlane.drills.crash.CrashPoint;
import dev.runlane.drills.fleet.DrillRuntime;
import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.fleet.DrillTasks;
import dev.runlane.drills.fleet.WorkItem;
import dev.runlane.drills.fleet.WorkItem.Behaviour;
import dev.runlane.drills.process.ProgramLines;
import dev.runlane.lane.Lanes;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.task.TriggerOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;

/**
 * Triggers a handful of runs and works on them until it halts at a crash point.
 *
 * <p>Arguments: the target, the crash point.
 */
final class CrashProgram {
  // None fails for good: a failed run gives its key up, and is created anew when triggered again.
  private static final WorkItem RETRIED = new WorkItem(2, Behaviour.FAIL_ONCE, 0);
  private static final WorkItem BOUNDED = new WorkItem(3, Behaviour.RELEASE_ONCE, 0);
  private static final WorkItem LONG = new WorkItem(5, Behaviour.SUCCEED, 1_500);
  private static final List<WorkItem> BATCH = List.of(
      new WorkItem(6, Behaviour.SUCCEED, 0),
      new WorkItem(7, Behaviour.SUCCEED, 0),
      new WorkItem(8, Behaviour.RELEASE_ONCE, 0));

  /** The schedule's run included. */
  static final int RUNS = 4 + BATCH.size();

  private CrashProgram() {}

  /** Runs until it is ended. */
  public static void main(String[] arguments) {
    ProgramLines.listen(line -> {});
    CrashPoint point = CrashPoint.of(arguments[DrillTarget.ARGUMENTS]);
    DrillRuntime runtime = DrillRuntime.create(
        Vertx.vertx(),
        DrillTarget.fromArguments(arguments),
        "first",
        storage -> Lanes.create(point.in(storage), point.in(storage.notifyTransport())));
    runtime.runlane().start().await();
    triggerAll(runtime)
        .compose(
            triggered -> runtime.runlane().deploy(runtime.vertx(), DrillRuntime.allRoles("first")))
        .await();
    ProgramLines.tell("ready");
  }

  /** One after the other, so that crash points mean the same each time; may be called again. */
  static Future<?> triggerAll(DrillRuntime runtime) {
    TriggerOptions bounded = new TriggerOptions()
        .setQueue(DrillTasks.NARROW)
        .setConcurrencyKey("crash")
        .setRunId("run-" + BOUNDED.number());
    return trigger(runtime, RETRIED, new TriggerOptions().setIdempotencyKey("retried"))
        .compose(first -> trigger(runtime, BOUNDED, bounded))
        .compose(
            second -> trigger(runtime, LONG, new TriggerOptions().setRunId("run-" + LONG.number())))
        .compose(third ->
            runtime.runlane().triggerAll(runtime.tasks().batch(), BATCH, new TriggerOptions()));
  }

  private static Future<?> trigger(DrillRuntime runtime, WorkItem item, TriggerOptions options) {
    return runtime
        .runlane()
        .trigger(runtime.tasks().work(), item, options)
        .<Void>mapEmpty()
        .recover(failure -> failure instanceof RunlaneException conflict
                && conflict.isConflict(StorageConflictKind.EVENT_SEQUENCE)
            ? Future.succeededFuture() // its run id exists: triggered before the crash
            : Future.failedFuture(failure));
  }
}
