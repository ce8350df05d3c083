package dev.runlane.drills.fleet;

import dev.runlane.drills.process.ProgramLines;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Triggers a workload, a hundred items at a time; every fifth hundred in one call. After each hundred it
 * tells {@code triggered N}: all items below N are durable. Items may have been triggered before.
 *
 * <p>Arguments: the target, the seed, the first number, the number after the last.
 */
public final class TriggerProgram {
  public static final int TOGETHER = 100;

  private static final int TRIES = 60;
  private static final long PAUSE_MILLIS = 500;

  private final DrillRuntime runtime;
  private final Workload workload;

  private TriggerProgram(DrillRuntime runtime, Workload workload) {
    this.runtime = runtime;
    this.workload = workload;
  }

  /** Ends by itself. */
  public static void main(String[] arguments) {
    ProgramLines.listen(line -> {});
    DrillRuntime runtime =
        DrillRuntime.create(Vertx.vertx(), DrillTarget.fromArguments(arguments), "trigger");
    runtime.runlane().start().await();
    Workload workload = new Workload(Long.parseLong(arguments[DrillTarget.ARGUMENTS]));
    int from = Integer.parseInt(arguments[DrillTarget.ARGUMENTS + 1]);
    int to = Integer.parseInt(arguments[DrillTarget.ARGUMENTS + 2]);
    ProgramLines.tell("ready");
    for (int next = from; next < to; next += TOGETHER) {
      int after = Math.min(to, next + TOGETHER);
      trigger(runtime, workload, next, after).await();
      ProgramLines.tell("triggered " + after);
    }
    runtime.close().await();
    ProgramLines.tell("done");
    System.exit(0);
  }

  /** Triggers these items, and insists where Postgres is away. */
  public static Future<?> trigger(DrillRuntime runtime, Workload workload, int from, int to) {
    return new TriggerProgram(runtime, workload).trigger(from, to);
  }

  /** Triggers them a hundred after the other. */
  public static Future<?> triggerAll(DrillRuntime runtime, Workload workload, int from, int to) {
    Future<?> triggered = Future.succeededFuture();
    for (int next = from; next < to; next += TOGETHER) {
      int first = next;
      triggered = triggered.compose(
          before -> trigger(runtime, workload, first, Math.min(to, first + TOGETHER)));
    }
    return triggered;
  }

  /** Whether the hundred with this item is triggered in one call. */
  public static boolean isBatch(int number) {
    return number / TOGETHER % 5 == 4;
  }

  private Future<?> trigger(int from, int to) {
    if (isBatch(from)) {
      List<WorkItem> items = IntStream.range(from, to).mapToObj(workload::item).toList();
      return insisting(
          () -> runtime
              .runlane()
              .triggerAll(runtime.tasks().batch(), items, new TriggerOptions())
              .mapEmpty(),
          1);
    }
    List<Future<Void>> all = new ArrayList<>();
    for (int number = from; number < to; number++) {
      int item = number;
      all.add(insisting(() -> trigger(item), 1));
    }
    return Future.all(all);
  }

  private Future<Void> trigger(int number) {
    return runtime
        .runlane()
        .trigger(runtime.tasks().work(), workload.item(number), workload.options(number))
        .compose(result ->
            Workload.isCancelled(number) ? cancel(result.run().id()) : Future.succeededFuture())
        .recover(failure -> failure instanceof RunlaneException conflict
                && conflict.isConflict(StorageConflictKind.EVENT_SEQUENCE)
            ? Future.succeededFuture() // its run id exists: triggered before the crash
            : Future.failedFuture(failure));
  }

  private Future<Void> cancel(String runId) {
    return runtime
        .runlane()
        .runs()
        .cancel(runId, RunActionOptions.by("drill"))
        .<Void>mapEmpty()
        .recover(failure ->
            failure instanceof RunlaneException ended && ended.code() == ErrorCode.VALIDATION_FAILED
                ? Future.succeededFuture() // it has ended already
                : Future.failedFuture(failure));
  }

  /** Tries again while Postgres is away. */
  private Future<Void> insisting(Supplier<Future<Void>> call, int tries) {
    return call.get()
        .recover(failure ->
            failure instanceof RunlaneException outage && outage.isRetryable() && tries < TRIES
                ? runtime.vertx().timer(PAUSE_MILLIS).compose(passed -> insisting(call, tries + 1))
                : Future.failedFuture(failure));
  }
}
