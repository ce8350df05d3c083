package dev.runlane.runtime.steps;

import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.StepDispatch;
import dev.runlane.run.StepIds;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.Step;
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
public final class StepCall<T> {
  static final String SLEEP = "sleep";

  final Step<T> step;
  final @Nullable Supplier<Future<T>> work; // null: a sleep
  final Duration duration; // of a sleep
  final @Nullable RemoteStep<T> remote; // null: not for others
  final @Nullable Object given; // what a remote step is asked with
  private final Promise<T> answer = Promise.promise();

  int position = -1; // none yet
  int tries;

  @Nullable
  Instant startedAt; // of the first try, or of a sleep that this attempt began

  Duration startedElapsed = Duration.ZERO; // the same for the first try, on the timers' own time

  @Nullable
  Instant dueAt; // of a sleep that was begun; the deadline of a remote step that was asked for

  @Nullable
  Json input; // of a remote step, once it was encoded

  Timers.@Nullable Timer timer; // ends the sleep, or the pause before another try

  private StepCall(
      Step<T> step,
      @Nullable Supplier<Future<T>> work,
      Duration duration,
      @Nullable RemoteStep<T> remote,
      @Nullable Object given) {
    this.step = step;
    this.work = work;
    this.duration = duration;
    this.remote = remote;
    this.given = given;
  }

  public static <T> StepCall<T> step(Step<T> step, Supplier<Future<T>> work) {
    return new StepCall<>(step, work, Duration.ZERO, null, null);
  }

  public static <T> StepCall<T> remote(RemoteStep<T> step, @Nullable Object input) {
    return new StepCall<>(step.step(), null, Duration.ZERO, step, input);
  }

  public static StepCall<Void> sleep(Duration duration) {
    return new StepCall<>(Step.of(SLEEP, Void.class), null, duration, null, null);
  }

  static String describe(String name, boolean sleep, boolean remote) {
    if (sleep) {
      return "a sleep";
    }
    return (remote ? "remote step " : "step ") + name;
  }

  boolean isSleep() {
    return work == null && remote == null;
  }

  boolean isRemote() {
    return remote != null;
  }

  String description() {
    return describe(step.name(), isSleep(), isRemote());
  }

  /** Turns the input into JSON, where the handler runs. False: it cannot be, and the handler was told. */
  public boolean encodeInput(StepResults results) {
    if (remote == null) {
      return true;
    }
    try {
      input = results.input(step, given);
      return true;
    } catch (Throwable unwritable) { // of the application's own getters too
      answer.tryFail(unwritable);
      return false;
    }
  }

  /** When the sleep that has begun is over, or the remote step that was asked for has failed. */
  Instant dueAt() {
    return Objects.requireNonNull(dueAt);
  }

  public Future<T> answer() {
    return answer.future();
  }

  /** Begins one try, on the handler's context. Never throws. */
  Future<T> begin() {
    Supplier<Future<T>> todo = work;
    if (todo == null) {
      throw new IllegalStateException(description() + " has no work here");
    }
    try {
      Future<T> begun = todo.get();
      return begun == null
          ? Future.failedFuture(new NullPointerException("a step answered null, not a future"))
          : begun;
    } catch (Throwable thrown) {
      return Future.failedFuture(thrown);
    }
  }

  /** The event that asks for a step that is done here, or for a sleep until {@code until}. */
  RunEvent.StepRequested requested(EventHeader header, int attempt, @Nullable Instant until) {
    return new RunEvent.StepRequested(
        header, StepIds.of(header.runId(), position), step.name(), null, null, attempt, until);
  }

  /** The event that asks for a remote step. */
  RunEvent.StepRequested remoteRequested(EventHeader header, int attempt, StepDispatch dispatch) {
    return new RunEvent.StepRequested(
        header,
        StepIds.of(header.runId(), position),
        step.name(),
        Objects.requireNonNull(remote).group(),
        input,
        attempt,
        null,
        dispatch);
  }

  /** The event that ends a step that was done here, or a sleep, which has no tries. */
  RunEvent.StepCompleted completed(
      EventHeader header, @Nullable Tried tried, @Nullable FailureRecord failure) {
    return new RunEvent.StepCompleted(
        header,
        StepIds.of(header.runId(), position),
        tries,
        startedAt,
        tried == null ? null : tried.output(),
        failure);
  }

  /** What is recorded, as the handler is to get it: where it runs, since its own classes may be asked. */
  Future<T> recorded(RunEvent.StepCompleted result, StepResults results) {
    try {
      return result.failure() == null
          ? Future.succeededFuture(results.decode(step, result.output()))
          : Future.failedFuture(results.thrown(result.failure()));
    } catch (Throwable unreadable) {
      return Future.failedFuture(unreadable);
    }
  }

  /** Gives the handler its answer, on its context. Throws what its callbacks throw. */
  void deliver(Future<?> recorded) {
    @SuppressWarnings("unchecked") // made by this call
    Future<T> own = (Future<T>) recorded;
    if (own.succeeded()) {
      answer.tryComplete(own.result());
    } else {
      answer.tryFail(own.cause());
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
