package dev.runlane.runtime;

import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One step or sleep a handler asked for in this attempt. What it was asked for never changes; where it stands is
 * touched on the home context only.
 *
 * @param <T> the result
 */
final class StepCall<T> {
  static final String SLEEP = "sleep";

  final Step<T> step;
  final @Nullable Supplier<Future<T>> work; // null: a sleep
  final Duration duration; // of a sleep
  private final Promise<T> answer = Promise.promise();

  int position = -1; // none yet
  int tries;

  @Nullable
  Instant startedAt; // of the first try

  @Nullable
  Instant dueAt; // of a sleep that was begun

  Timers.@Nullable Timer timer; // ends the sleep, or the pause before another try

  private StepCall(Step<T> step, @Nullable Supplier<Future<T>> work, Duration duration) {
    this.step = step;
    this.work = work;
    this.duration = duration;
  }

  static <T> StepCall<T> step(Step<T> step, Supplier<Future<T>> work) {
    return new StepCall<>(step, work, Duration.ZERO);
  }

  static StepCall<Void> sleep(Duration duration) {
    return new StepCall<>(Step.of(SLEEP, Void.class), null, duration);
  }

  static String describe(String name, boolean sleep) {
    return sleep ? "a sleep" : "step " + name;
  }

  boolean isSleep() {
    return work == null;
  }

  String description() {
    return describe(step.name(), isSleep());
  }

  /** When the sleep is over, which has begun. */
  Instant dueAt() {
    return Objects.requireNonNull(dueAt);
  }

  Future<T> answer() {
    return answer.future();
  }

  /** Begins one try, on the handler's context. Never throws. */
  Future<T> begin() {
    Supplier<Future<T>> todo = work;
    if (todo == null) {
      throw new IllegalStateException("a sleep has no work");
    }
    try {
      Future<T> begun = todo.get();
      return begun == null
          ? Future.failedFuture(new NullPointerException("a step answered null, not a future"))
          : begun;
    } catch (Exception | LinkageError | AssertionError | StackOverflowError thrown) {
      return Future.failedFuture(thrown);
    }
  }

  /** Gives the handler what is recorded, on its context. */
  void deliver(RunEvent.StepCompleted result, StepResults results) {
    if (result.failure() != null) {
      answer.tryFail(results.thrown(result.failure()));
      return;
    }
    try {
      answer.tryComplete(results.decode(step, result.output()));
    } catch (RunlaneException unreadable) {
      answer.tryFail(unreadable);
    }
  }

  /** Gives the handler a failure that is not recorded. */
  void refuse(Throwable failure) {
    answer.tryFail(failure);
  }

  void disarm() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /**
   * How one try ended, with everything checked that would be recorded.
   *
   * @param output the result, or null
   * @param failure why it failed; null: it did not
   */
  record Tried(@Nullable Json output, @Nullable Throwable failure) {}
}
