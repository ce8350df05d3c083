package dev.runlane.simulation.fleet;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.simulation.world.Chance;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Handlers that use their context in every way there is, the wrong ones included: steps at once of which one fails,
 * other steps than before, what cannot be written or read, children. Which one it is, the script of an item decides.
 */
final class Branches {
  private static final Duration BLINK = Duration.ofMillis(5);
  private static final Duration LONG = Duration.ofSeconds(15);
  private static final Step<String> TRIED_ONCE =
      Step.of("tried-once", String.class).retry(RetryPolicy.NONE);

  private final Timers timers;
  private final TaskContext context;
  private final Item item;
  private final Chance chance;

  private Branches(Timers timers, Item item, TaskContext context) {
    this.timers = timers;
    this.context = context;
    this.item = item;
    chance = Chance.of(item.script(), "branches");
  }

  /** @param child what a handler may trigger */
  static Future<TaskResult> handle(
      Timers timers, Item item, TaskContext context, TaskDescription<Item> child) {
    Branches branches = new Branches(timers, item, context);
    return switch (Chance.of(item.script(), "branch").from(0, 15)) {
      case 0 -> branches.allOf().map(TaskResult.done());
      case 1 -> branches.compensated().map(TaskResult.done());
      case 2 -> branches.otherName().map(TaskResult.done());
      case 3 -> branches.notAskedAgain().map(TaskResult.done());
      case 4 -> branches.strangeSteps().map(TaskResult.done());
      case 5 -> branches.conflict().map(TaskResult.done());
      case 6 -> Future.succeededFuture(branches.tooMuch());
      case 7 -> Future.succeededFuture(context.release(Duration.ofSeconds(-1), "the past"));
      case 8 -> Future.succeededFuture(context.attempt() < 3 ? null : TaskResult.done());
      case 9 -> branches.children(child).map(TaskResult.done());
      case 10 -> Future.succeededFuture(branches.looks());
      case 11 -> branches.strangeRemoteSteps().map(TaskResult.done());
      case 12 -> branches.rethrown().map(TaskResult.done());
      case 13 -> branches.passedOn().map(TaskResult.done());
      case 14 -> branches.oneGoesOn().map(TaskResult.done());
      default -> branches.shortNames().map(TaskResult.done());
    };
  }

  /** Steps at once; the one in the middle fails in the first attempts, for good or not, and the run with it. */
  private Future<?> allOf() {
    List<Future<String>> steps = new ArrayList<>();
    for (int number = 0; number < 4; number++) {
      String name = "part-" + number;
      boolean fails = number == 1 && context.attempt() <= chance.from(1, 2);
      Duration work = chance.duration(BLINK, LONG);
      steps.add(context.step(Step.of(name, String.class).retry(RetryPolicy.NONE), () -> timers
          .after(work)
          .compose(worked -> fails ? failure(name) : Future.succeededFuture(name))));
    }
    boolean waitsForAll = chance.happens(0.5);
    return waitsForAll ? Future.join(steps) : Future.all(steps);
  }

  private Future<String> failure(String name) {
    return chance.happens(0.5)
        ? Future.failedFuture(new IllegalStateException("on purpose: " + name))
        : retryable(name);
  }

  /** A step that fails, and one that makes up for it. */
  private Future<?> compensated() {
    Future<String> first = context.step(TRIED_ONCE, () -> timers
        .after(chance.duration(BLINK, LONG))
        .compose(
            worked -> Future.failedFuture(RunlaneException.of(ErrorCode.TASK_FAILED, "on purpose")
                .asNotRetryable()
                .withMeta("why", "on purpose"))));
    return first
        .recover(failed ->
            context.step(Step.of("undo", String.class), () -> Future.succeededFuture("undone")))
        .compose(undone -> failsFirst("after the undo"));
  }

  /** A step that fails, one more, and then the run by what failed; asked for one after the other again. */
  private Future<?> rethrown() {
    return context.step(TRIED_ONCE, () -> failure("first")).recover(failed -> context
        .step(Step.of("look", String.class), () -> Future.succeededFuture("looked"))
        .compose(looked -> context.attempt() < 3
            ? Future.failedFuture(new IllegalStateException("on purpose", failed))
            : Future.succeededFuture(looked)));
  }

  /** A step that fails, one that follows from it, and then the run by the very failure. */
  private Future<?> passedOn() {
    boolean fails = context.attempt() <= chance.from(1, 2);
    return context
        .step(
            TRIED_ONCE, () -> fails ? retryable("passed on") : Future.succeededFuture("went well"))
        .recover(failed -> context
            .step(Step.of("look", String.class), () -> Future.succeededFuture("looked"))
            .compose(looked ->
                context.attempt() < 4 ? Future.failedFuture(failed) : Future.succeededFuture()));
  }

  /** One branch fails while the other goes on to its next step; then the run by the first. */
  private Future<?> oneGoesOn() {
    boolean fails = context.attempt() <= chance.from(1, 2);
    boolean asksAgain = chance.happens(0.7);
    Future<String> one = context.step(TRIED_ONCE, () -> timers
        .after(BLINK)
        .compose(worked -> fails ? retryable("one branch") : Future.succeededFuture("went well")));
    Future<String> other = context.step(
        Step.of("other", String.class),
        () -> timers.after(chance.duration(Duration.ofSeconds(1), LONG)).map("other"));
    return Future.join(
        one,
        other.compose(done -> context.attempt() > 1 && !asksAgain
            ? Future.succeededFuture()
            : context.step(
                Step.of("next", String.class), () -> timers.after(BLINK).map("next"))));
  }

  private static Future<String> retryable(String why) {
    return Future.failedFuture(
        RunlaneException.of(ErrorCode.TASK_FAILED, "on purpose: %s", why).asRetryable());
  }

  /** Another step in the second attempt than in the first and all others. */
  private Future<?> otherName() {
    String name = context.attempt() == 2 ? "another" : "first";
    return context
        .step(Step.of(name, String.class), () -> Future.succeededFuture("done"))
        .compose(done -> failsFirst("the second"));
  }

  /** A result is recorded before one that the second attempt waits for, and is not asked for in it. */
  private Future<?> notAskedAgain() {
    Future<String> slow = context.step(
        Step.of("slow", String.class), () -> timers.after(Duration.ofSeconds(5)).map("slow"));
    if (context.attempt() == 2) {
      return slow;
    }
    Future<String> quick =
        context.step(Step.of("quick", String.class), () -> Future.succeededFuture("quick"));
    return Future.join(slow, quick).compose(both -> failsFirst("after both"));
  }

  /** Steps that answer null, throw, and make what cannot be written. */
  @SuppressWarnings("NullAway") // null is what is wrong
  private Future<?> strangeSteps() {
    Future<Object> none = context.step(untried("none", Object.class), () -> null);
    Future<Object> throwing = context.step(untried("throwing", Object.class), () -> {
      throw new IllegalStateException("on purpose");
    });
    Future<Unwritable> unwritable = context.step(
        untried("unwritable", Unwritable.class), () -> Future.succeededFuture(new Unwritable()));
    return Future.join(
            none.otherwiseEmpty(), throwing.otherwiseEmpty(), unwritable.otherwiseEmpty())
        .compose(all -> failsFirst("after strange steps"));
  }

  private static <T> Step<T> untried(String name, Class<T> type) {
    return Step.of(name, type).retry(RetryPolicy.NONE);
  }

  /** A step that fails as a storage does, and again when it is read back. */
  private Future<?> conflict() {
    return context
        .step(
            untried("conflict", String.class),
            () -> Future.failedFuture(
                RunlaneException.conflict(StorageConflictKind.EVENT_SEQUENCE, "on purpose")))
        .otherwise("recovered")
        .compose(recovered -> failsFirst("after a conflict"));
  }

  private TaskResult tooMuch() {
    return TaskResult.done("x".repeat(Habits.MOST_OUTPUT + 1));
  }

  private Future<?> children(TaskDescription<Item> child) {
    Item its = new Item(item.script() + 1, item.key());
    return context.attempt() > 1
        ? Future.succeededFuture()
        : context
            .trigger(child, its)
            .compose(first ->
                context.trigger(child, its, new TriggerOptions().setDelay(Duration.ofSeconds(3))));
  }

  private TaskResult looks() {
    boolean isFirst = context.attempt() == 1
        && context.environment().equals(Fleet.ENVIRONMENT)
        && context.queue().equals(Catalogue.OPEN)
        && context.failures() == 0
        && context.traceCarrier().containsKey("traceparent")
        && !context.isSignalled()
        && !context.isCancellationRequested();
    return isFirst
        ? chance.happens(0.5)
            ? context.release(Duration.ofSeconds(2))
            : context.release(Duration.ofSeconds(2), "with a meta", Map.of("key", item.key()))
        : TaskResult.done();
  }

  /** Without a transport of steps they fail; what cannot be written or read fails with one, too. */
  private Future<?> strangeRemoteSteps() {
    RemoteStep<String> add = RemoteStep.of("add", String.class);
    Future<?> unwritable = context.remote(add, new Unwritable()).otherwiseEmpty();
    Future<?> unnamed = context.remote("", item.key(), String.class).otherwiseEmpty();
    Future<?> unread = context.remote("add", item.key(), Integer.class).otherwiseEmpty();
    Future<?> bare = context.remote("add", 1).otherwiseEmpty();
    return Future.join(List.of(unwritable, unnamed, unread, bare));
  }

  private Future<?> shortNames() {
    return context
        .step("short", String.class, () -> Future.succeededFuture("done"))
        .compose(done -> context.step("nothing", () -> Future.succeededFuture()))
        .compose(done -> context.step("", String.class, () -> Future.succeededFuture("never")))
        .otherwiseEmpty()
        .compose(refused -> context.sleep(Duration.ofSeconds(-1)))
        .otherwiseEmpty();
  }

  /** Succeeds in all but the first attempt, so that what was recorded before is read. */
  private Future<Void> failsFirst(String why) {
    return context.attempt() == 1
        ? Future.failedFuture(
            RunlaneException.of(ErrorCode.TASK_FAILED, "on purpose: %s", why).asRetryable())
        : Future.succeededFuture();
  }

  /** No writer of JSON knows what to do with it. */
  static final class Unwritable {}
}
