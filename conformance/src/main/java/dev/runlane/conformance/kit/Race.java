package dev.runlane.conformance.kit;

import dev.runlane.run.RunlaneException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Starts contenders together on several event loops and collects every outcome. */
public final class Race {
  private Race() {}

  /** So many contenders, or whatever else a case wants many of, made by their numbers from 0 on. */
  public static <T> List<T> times(int count, IntFunction<T> made) {
    return IntStream.range(0, count).mapToObj(made).toList();
  }

  /**
   * What became of each contender, in their order. Fails the case only after all have ended, when one
   * of them threw, answered null or failed with something else than a {@link RunlaneException}.
   */
  public static <T> Results<T> run(List<Context> contexts, List<Supplier<Future<T>>> contenders) {
    List<Promise<T>> promises = new ArrayList<>();
    contenders.forEach(contender -> promises.add(Promise.promise()));
    for (int i = 0; i < contenders.size(); i++) {
      Promise<T> promise = promises.get(i);
      Supplier<Future<T>> contender = contenders.get(i);
      contexts.get(i % contexts.size()).runOnContext(start -> start(contender, promise));
    }
    List<Future<T>> futures = promises.stream().map(Promise::future).toList();
    Outcomes.done(Future.join(futures).otherwiseEmpty());
    return new Results<>(futures.stream().map(Race::<T>ended).toList());
  }

  private static <T> void start(Supplier<Future<T>> contender, Promise<T> promise) {
    try {
      contender.get().onComplete(promise);
    } catch (RuntimeException thrown) {
      promise.fail(new AssertionError("a method must not throw", thrown));
    }
  }

  private static <T> Ended<T> ended(Future<T> future) {
    if (future.succeeded()) {
      return new Ended<>(future.result(), null);
    }
    if (future.cause() instanceof RunlaneException failure) {
      return new Ended<>(null, failure);
    }
    throw new AssertionError(
        "a contender failed with something that is no RunlaneException", future.cause());
  }

  /**
   * How one contender ended: exactly one of the two is present, but for results that are null.
   *
   * @param result its result
   * @param failure why it failed
   */
  public record Ended<T>(@Nullable T result, @Nullable RunlaneException failure) {
    public boolean isWon() {
      return failure == null;
    }
  }

  /**
   * How all contenders ended, in their order.
   *
   * @param all each of them
   */
  public record Results<T>(List<Ended<T>> all) {
    /** The results of those that succeeded. */
    public List<T> results() {
      List<T> results = new ArrayList<>();
      for (Ended<T> each : all) {
        if (each.result() != null) {
          results.add(each.result());
        }
      }
      return results;
    }

    /** The failures of those that did not. */
    public List<RunlaneException> failures() {
      return all.stream()
          .map(Ended::failure)
          .flatMap(each -> Optional.ofNullable(each).stream())
          .toList();
    }
  }
}
