package dev.runlane.simulation.fleet;

import dev.runlane.operator.log.LogLevel;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What the handlers of one life of a process do: the script of an item decides, attempt by attempt, in whatever process
 * it is made.
 */
public final class Handlers {
  private static final int LAST_MISFORTUNE = 5; // attempts after it succeed at once
  private static final Duration BLINK = Duration.ofMillis(5);
  private static final Duration LONG = Duration.ofSeconds(40);
  private static final Duration AFTER_HEARTBEATS = Duration.ofSeconds(12);
  private static final int OUTLASTS_LEASE = 75; // seconds
  private static final long MOST_LINES = 6; // less one
  private static final RemoteStep<Integer> ADD = RemoteStep.of("add", Integer.class)
      .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofSeconds(2)));

  private final Lifetime life;
  private final Timers timers;
  private final HandlerLog log;
  private final Runnable kill;

  /** @param kill ends the process that they are in */
  Handlers(Lifetime life, Timers timers, HandlerLog log, Runnable kill) {
    this.life = life;
    this.timers = timers;
    this.log = log;
    this.kill = kill;
  }

  /** Succeeds, fails, releases, is late, ignores its signal or throws. */
  Future<TaskResult> any(Item item, TaskContext context) {
    HandlerCall call = log.begins(life, context);
    Chance chance = Chance.of(item.script(), "attempt " + context.attempt());
    int dice = chance.from(0, 99);
    for (int line = 1; line <= Math.floorMod(item.script(), MOST_LINES); line++) {
      context.log(LogLevel.INFO, lineOf(context.attempt(), line));
    }
    if (Chance.of(item.script(), "luck").happens(0.1) && context.attempt() <= 2 * LAST_MISFORTUNE) {
      return ending(call, work(chance).compose(worked -> failure(true)));
    }
    if (context.attempt() > LAST_MISFORTUNE || dice < 40) {
      return ending(call, Future.succeededFuture(TaskResult.done()));
    }
    if (dice < 44) {
      throw thrown(call);
    }
    if (dice < 60) {
      call.heeds();
      return ending(call, context.untilSignalled(work(chance)).map(TaskResult.done()));
    }
    if (dice < 75) {
      return ending(call, work(chance).map(TaskResult.done()));
    }
    if (dice < 85) {
      return ending(call, work(chance).compose(worked -> failure(true)));
    }
    if (dice < 88) {
      return ending(call, work(chance).compose(worked -> failure(false)));
    }
    Duration pause = chance.duration(BLINK, Duration.ofMinutes(1));
    return ending(call, work(chance).map(worked -> context.release(pause, "on purpose")));
  }

  /** Blocks nobody, since it returns at once: succeeds, fails, throws or releases. */
  TaskResult blocking(Item item, BlockingTaskContext context) {
    HandlerCall call = log.begins(life, context);
    Chance chance = Chance.of(item.script(), "attempt " + context.attempt());
    int dice = context.attempt() > LAST_MISFORTUNE ? 0 : chance.from(0, 9);
    if (dice >= 6 && dice < 8) {
      throw thrown(call);
    }
    TaskResult result = dice < 6
        ? TaskResult.done()
        : context.release(chance.duration(BLINK, Duration.ofMinutes(1)), "on purpose");
    ending(call, Future.succeededFuture(result));
    return result;
  }

  /** As {@link #any}, and sometimes never returns. */
  Future<TaskResult> endless(Item item, TaskContext context) {
    if (Chance.of(item.script(), "endless " + context.attempt()).happens(0.3)) {
      log.begins(life, context);
      return Promise.<TaskResult>promise().future();
    }
    return any(item, context);
  }

  /** Local steps and sleeps, the same in each attempt; their sum is the output. */
  Future<TaskResult> stepped(Item item, TaskContext context) {
    HandlerCall call = log.begins(life, context);
    log.waits(call);
    Set<String> recorded = log.recordedSteps(context.runId());
    Chance chance = Chance.of(item.script(), "steps");
    Future<Integer> sum = Future.succeededFuture(0);
    int steps = steps(item);
    for (int number = 1; number <= steps; number++) {
      String name = "s" + number;
      int value = number;
      Duration work = chance.duration(BLINK, Duration.ofSeconds(20));
      boolean stumbles = chance.happens(0.2);
      boolean sleeps = chance.happens(0.4);
      Duration sleep = chance.duration(BLINK, LONG);
      sum = sum.compose(before -> context
          .step(step(name), () -> {
            log.stepWorks(call, name, recorded);
            return timers
                .after(work)
                .compose(worked -> stumbles && context.attempt() == 1
                    ? failure(true).map(value)
                    : Future.succeededFuture(value))
                .onComplete(done -> log.waits(call));
          })
          .compose(result -> (sleeps ? context.sleep(sleep) : Future.<Void>succeededFuture())
              .map(before + result)));
    }
    return ending(call, sum.map(TaskResult::done));
  }

  /** The same by workers of another program, one after the other or all at once. */
  Future<TaskResult> remote(Item item, TaskContext context) {
    HandlerCall call = log.begins(life, context);
    log.waits(call);
    Chance chance = Chance.of(item.script(), "remote");
    RemoteStep<Integer> add = chance.happens(0.2)
        ? ADD.deadline(Duration.ofSeconds(chance.happens(0.5) ? 180 : 20))
        : ADD;
    if (isWide(item)) {
      return ending(call, wide(item, context, call, add).map(TaskResult::done));
    }
    boolean together = chance.happens(0.5);
    Future<Integer> sum = Future.succeededFuture(0);
    for (int number = 1; number <= steps(item); number++) {
      int value = number;
      if (together) {
        Future<Integer> answer = context.remote(add, value);
        sum = sum.compose(before -> answer.map(result -> before + result));
      } else {
        sum = sum.compose(before -> context.remote(add, value).map(result -> before + result));
      }
    }
    return ending(call, sum.map(TaskResult::done));
  }

  /** One step by a worker of another program and many here, none of which is done before a heartbeat or two. */
  private Future<Integer> wide(
      Item item, TaskContext context, HandlerCall call, RemoteStep<Integer> add) {
    Set<String> recorded = log.recordedSteps(context.runId());
    Chance chance = Chance.of(item.script(), "wide");
    List<Future<Integer>> all = new ArrayList<>();
    all.add(context.remote(add, 1));
    for (int number = 2; number <= steps(item); number++) {
      String name = "w" + number;
      int value = number;
      Duration work = chance.duration(AFTER_HEARTBEATS, LONG);
      all.add(context.step(step(name), () -> {
        log.stepWorks(call, name, recorded);
        return timers.after(work).map(value).onComplete(done -> log.waits(call));
      }));
    }
    return Future.all(all)
        .map(each -> each.<Integer>list().stream().mapToInt(Integer::intValue).sum());
  }

  /** Kills its process, mostly more often than its task may lose an attempt. */
  Future<TaskResult> poison(Item item, TaskContext context) {
    HandlerCall call = log.begins(life, context);
    Chance chance = Chance.of(item.script(), "poison");
    if (context.attempt() <= chance.from(1, 2 * Catalogue.MOST_LOST)) {
      timers.schedule(chance.duration(BLINK, LONG), kill);
      return Promise.<TaskResult>promise().future();
    }
    return ending(call, Future.succeededFuture(TaskResult.done()));
  }

  /** Steps whose results are never the same again. */
  Future<TaskResult> recalled(Item item, TaskContext context) {
    HandlerCall call = log.begins(life, context);
    log.waits(call);
    return ending(call, Recalls.handle(timers, item, context, log, call));
  }

  /** Is done at once. */
  Future<TaskResult> clocked(Item item, TaskContext context) {
    return ending(log.begins(life, context), Future.succeededFuture(TaskResult.done()));
  }

  /** Everything that a context offers, also as it is not meant. */
  Future<TaskResult> branching(Item item, TaskContext context, TaskDescription<Item> child) {
    HandlerCall call = log.begins(life, context);
    log.waits(call);
    return ending(call, Branches.handle(timers, item, context, child));
  }

  /** What an attempt writes into its run's log. */
  public static String lineOf(int attempt, int number) {
    return "line " + number + " of attempt " + attempt;
  }

  /** What a stepped run puts out when it succeeds. */
  static int expectedSum(Item item) {
    int steps = steps(item);
    return steps * (steps + 1) / 2;
  }

  private static int steps(Item item) {
    Chance chance = Chance.of(item.script(), "count");
    return isWide(item)
        ? chance.from(ContractDefaults.MAX_PAGE_LIMIT + 1, 2 * ContractDefaults.MAX_PAGE_LIMIT)
        : chance.from(1, 4);
  }

  private static boolean isWide(Item item) {
    return item.key().equals(Item.WIDE);
  }

  private static Step<Integer> step(String name) {
    return Step.of(name, Integer.class)
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofSeconds(1)));
  }

  private Future<Void> work(Chance chance) {
    return timers.after(
        chance.happens(0.4)
            ? Duration.ofSeconds(chance.from(5, OUTLASTS_LEASE))
            : chance.duration(BLINK, LONG));
  }

  private static Future<TaskResult> failure(boolean retryable) {
    RunlaneException failure = RunlaneException.of(ErrorCode.TASK_FAILED, "failed on purpose");
    return Future.failedFuture(retryable ? failure.asRetryable() : failure.asNotRetryable());
  }

  private RuntimeException thrown(HandlerCall call) {
    RuntimeException thrown = new IllegalStateException("thrown on purpose");
    log.returns(call, Future.failedFuture(thrown));
    return thrown;
  }

  private Future<TaskResult> ending(HandlerCall call, Future<TaskResult> result) {
    return result.onComplete(done -> log.returns(call, done));
  }
}
