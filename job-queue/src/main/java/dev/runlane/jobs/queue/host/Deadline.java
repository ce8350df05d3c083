package dev.runlane.jobs.queue.host;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.function.Consumer;

/** Ends the wait for an answer that may never come: a backend that is frozen neither answers nor fails. */
public final class Deadline {
  private Deadline() {}

  /** As {@code answer}, or a failure as of a store that cannot be reached when none has come after {@code bound}. */
  public static <T> Future<T> on(Timers timers, Future<T> answer, Duration bound, String what) {
    return on(timers, answer, bound, what, late -> {});
  }

  /**
   * The same.
   *
   * @param late gets the answer that comes after all, when nobody waits for it any more
   */
  public static <T> Future<T> on(
      Timers timers, Future<T> answer, Duration bound, String what, Consumer<T> late) {
    if (answer.isComplete()) {
      return answer;
    }
    Promise<T> first = Promise.promise();
    Timers.Timer timer = timers.schedule(
        bound,
        () -> first.tryFail(RunlaneException.unavailable(
            ErrorCode.STORAGE_UNAVAILABLE, null, "%s got no answer within %s", what, bound)));
    answer.onComplete((value, failure) -> {
      timer.cancel();
      if (failure != null) {
        first.tryFail(failure);
      } else if (!first.tryComplete(value)) {
        late.accept(value);
      }
    });
    return first.future();
  }
}
