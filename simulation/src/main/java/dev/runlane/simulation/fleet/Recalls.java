package dev.runlane.simulation.fleet;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.simulation.world.Chance;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A handler whose steps never come to the same twice, one after the other and several at once: what an attempt is given
 * of an earlier one can only be what is recorded. Which steps there are, the script of an item decides.
 */
final class Recalls {
  private static final Duration BLINK = Duration.ofMillis(5);
  private static final Duration LONG = Duration.ofSeconds(12);

  private final Timers timers;
  private final TaskContext context;
  private final HandlerLog log;
  private final HandlerCall call;
  private final Set<String> recorded;

  private Recalls(Timers timers, TaskContext context, HandlerLog log, HandlerCall call) {
    this.timers = timers;
    this.context = context;
    this.log = log;
    this.call = call;
    recorded = log.recordedSteps(context.runId());
  }

  static Future<TaskResult> handle(
      Timers timers, Item item, TaskContext context, HandlerLog log, HandlerCall call) {
    return new Recalls(timers, context, log, call).handle(Chance.of(item.script(), "recalls"));
  }

  private Future<TaskResult> handle(Chance chance) {
    int failures = chance.from(0, 2);
    int groups = chance.from(2, 4);
    int failsAfter = chance.from(1, groups);
    Future<?> before = Future.succeededFuture();
    for (int group = 1; group <= groups; group++) {
      List<Duration> works = new ArrayList<>();
      int width = chance.from(1, 3);
      for (int number = 0; number < width; number++) {
        works.add(chance.duration(BLINK, LONG));
      }
      String name = "g" + group;
      Duration sleep = chance.happens(0.3) ? chance.duration(BLINK, LONG) : Duration.ZERO;
      boolean fails = group == failsAfter && context.failures() < failures;
      before = before
          .compose(done -> together(name, works))
          .compose(done -> sleep.isZero() ? Future.succeededFuture() : context.sleep(sleep))
          .compose(slept -> fails ? failure() : Future.succeededFuture());
    }
    return before.map(TaskResult.done());
  }

  private Future<?> together(String group, List<Duration> works) {
    List<Future<Void>> steps = new ArrayList<>();
    for (int number = 0; number < works.size(); number++) {
      String name = group + "-" + number;
      Duration work = works.get(number);
      steps.add(context
          .step(
              Step.of(name, Long.class)
                  .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofSeconds(1))),
              () -> work(name, work))
          .map(value -> {
            log.sees(call, name, value);
            return null;
          }));
    }
    return Future.all(steps);
  }

  private Future<Long> work(String name, Duration work) {
    log.stepWorks(call, name, recorded);
    return timers.after(work).map(worked -> log.fresh(call)).onComplete(done -> log.waits(call));
  }

  private static Future<Void> failure() {
    return Future.failedFuture(
        RunlaneException.of(ErrorCode.TASK_FAILED, "failed on purpose").asRetryable());
  }
}
