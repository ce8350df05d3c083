package dev.runlane.webhook;

import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Those who are told of something, of whom one may be silent: who takes longer than {@link #PATIENCE} is left to itself
 * and passed over until it has ended, so that nobody else waits behind it. For any thread.
 */
public final class Receivers {
  /** How long a sweep waits for all that it tells = 1 s. */
  public static final Duration PATIENCE = Duration.ofSeconds(1);

  /**
   * Tries before a receiver is told of something no more, however long ago that was = 12: with pauses from 1 s on that
   * double, half an hour after the first.
   */
  public static final int FEWEST_TRIES = 12;

  private final Timers timers;
  private final Map<String, Future<Void>> busy = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable Throwable> missed = new AtomicReference<>();

  /** Nobody is being told. */
  public Receivers(Timers timers) {
    this.timers = timers;
  }

  /** Those who are not being told. Fails once with what ended badly after nobody waited for it any more. */
  public Future<List<String>> free(Collection<String> all) {
    Throwable failure = missed.getAndSet(null);
    return failure == null
        ? Future.succeededFuture(
            all.stream().filter(each -> !busy.containsKey(each)).toList())
        : Future.failedFuture(failure);
  }

  /**
   * Begins to tell these, who are free, and waits for all of them, but not longer than its patience. Fails as one that
   * has failed by then.
   *
   * @param work tells one of them, by name
   */
  public Future<Void> tell(Map<String, Supplier<Future<Void>>> work) {
    Promise<Void> waited = Promise.promise();
    Future<?> all = Future.join(work.entrySet().stream()
        .map(each -> begin(each.getKey(), each.getValue()))
        .toList());
    if (all.isComplete()) {
      return all.mapEmpty();
    }
    Timers.Timer patience = timers.schedule(PATIENCE, waited::tryComplete);
    all.onComplete(ended -> {
      patience.cancel();
      boolean isHeard = ended.succeeded() ? waited.tryComplete() : waited.tryFail(ended.cause());
      if (!isHeard && ended.failed()) {
        missed.set(ended.cause());
      }
    });
    return waited.future();
  }

  private Future<Void> begin(String name, Supplier<Future<Void>> work) {
    Promise<Void> ended = Promise.promise();
    busy.put(name, ended.future());
    Future<Void> told =
        Future.<Void>succeededFuture().compose(start -> Objects.requireNonNull(work.get(), name));
    return told.onComplete(done -> {
      busy.remove(name);
      ended.complete();
    });
  }

  /** Completes when nobody is being told who was when it was asked for. */
  public Future<Void> settled() {
    return Future.join(List.copyOf(busy.values())).mapEmpty();
  }
}
