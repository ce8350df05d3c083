package dev.runlane.conformance.kit;

import dev.runlane.run.RunlaneException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Starts contenders on several event loops and collects every outcome. */
public final class Race {
  /** When each of them is started. */
  public enum Start {
    /** At once: which is first is for the machine to say. */
    TOGETHER,

    /** When the call of the one before has returned, whether its future has ended or not. */
    IN_TURN,

    /** The same, the last one first. */
    IN_TURN_BACKWARD
  }

  private static final Map<Context, Future<Void>> ALL_STARTED = new ConcurrentHashMap<>();

  private Race() {}

  /** So many contenders, or whatever else a case wants many of, made by their numbers from 0 on. */
  public static <T> List<T> times(int count, IntFunction<T> made) {
    return IntStream.range(0, count).mapToObj(made).toList();
  }

  /**
   * For an adapter that goes wrong on purpose: when all contenders have been started of the race whose contender this
   * context runs. Has succeeded where no race is under way on it. Ends on this context.
   */
  public static Future<Void> allStarted() {
    Context context = Vertx.currentContext();
    Future<Void> started = context == null ? null : ALL_STARTED.get(context);
    return started == null ? Future.succeededFuture() : started;
  }

  /**
   * What became of each contender, in their order, where all were started together. Fails the case only after all have
   * ended, when one of them threw, answered null or failed with something else than a {@link RunlaneException}.
   */
  public static <T> Results<T> run(List<Context> contexts, List<Supplier<Future<T>>> contenders) {
    return run(Start.TOGETHER, contexts, contenders);
  }

  /** The same, where they were started like this. No two races have a context in common while they run. */
  public static <T> Results<T> run(
      Start start, List<Context> contexts, List<Supplier<Future<T>>> contenders) {
    List<Context> taken = contexts.subList(0, Math.min(contexts.size(), contenders.size()));
    Promise<Void> allStarted = Promise.promise();
    taken.forEach(context -> ALL_STARTED.put(context, on(context, allStarted.future())));
    try {
      return run(start, contexts, contenders, allStarted);
    } finally {
      taken.forEach(ALL_STARTED::remove);
    }
  }

  private static <T> Results<T> run(
      Start start,
      List<Context> contexts,
      List<Supplier<Future<T>>> contenders,
      Promise<Void> allStarted) {
    List<Promise<T>> promises = new ArrayList<>();
    contenders.forEach(contender -> promises.add(Promise.promise()));
    List<Future<Void>> started = new ArrayList<>();
    for (int i = 0; i < contenders.size(); i++) {
      int index = start == Start.IN_TURN_BACKWARD ? contenders.size() - 1 - i : i;
      Promise<Void> called = Promise.promise();
      contexts.get(index % contexts.size()).runOnContext(turn -> {
        start(contenders.get(index), promises.get(index));
        called.complete();
      });
      started.add(called.future());
      if (start != Start.TOGETHER) {
        Outcomes.done(called.future());
      }
    }
    Future.all(started).<Void>mapEmpty().onComplete(allStarted);
    List<Future<T>> futures = promises.stream().map(Promise::future).toList();
    Outcomes.done(Future.join(futures).otherwiseEmpty());
    return new Results<>(futures.stream().map(Race::<T>ended).toList());
  }

  private static Future<Void> on(Context context, Future<Void> future) {
    Promise<Void> turned = Promise.promise();
    future.onComplete(ended -> context.runOnContext(turn -> turned.complete()));
    return turned.future();
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
