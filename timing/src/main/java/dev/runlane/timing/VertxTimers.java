package dev.runlane.timing;

import dev.runlane.run.ContractDefaults;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The timers of a Vert.x. An action runs on the context that {@link #schedule} was called on (an event
 * loop context of its own when there was none), and a failure it throws goes to that context's exception
 * handler. Delays are rounded up to whole milliseconds and cut to a hundred years.
 *
 * <p>Vert.x cancels its own timers with the verticle on whose context they were set. These stay: what a verticle
 * happens to ask of something that others use too must end although the verticle is gone. Where its worker pool has
 * gone with it, the action runs on the event loop.
 */
public final class VertxTimers implements Timers {
  private static final Duration SHORTEST = Duration.ofMillis(1);

  private final Vertx vertx;
  private final long createdNanos = System.nanoTime(); // which may itself be negative

  /** Timers that live as long as {@code vertx}, which stays the caller's to close. */
  public VertxTimers(Vertx vertx) {
    this.vertx = Objects.requireNonNull(vertx, "vertx");
  }

  @Override
  public Timer schedule(Duration delay, Runnable action) {
    ContextInternal context = ((VertxInternal) vertx).getOrCreateContext();
    if (context.isDeployment()) {
      return scheduleBeside(context, delay, action);
    }
    long id = vertx.setTimer(wholeMillis(delay), timerId -> action.run());
    return () -> vertx.cancelTimer(id);
  }

  /** Waits on the context's event loop, but on no verticle's context. */
  private static Timer scheduleBeside(ContextInternal context, Duration delay, Runnable action) {
    ContextInternal unowned =
        context.owner().contextBuilder().withEventLoop(context.nettyEventLoop()).build();
    AtomicBoolean begun = new AtomicBoolean(); // or cancelled
    Runnable once = () -> {
      if (begun.compareAndSet(false, true)) {
        action.run();
      }
    };
    long id = unowned.setTimer(wholeMillis(delay), timerId -> {
      try {
        context.runOnContext(turn -> once.run());
      } catch (RejectedExecutionException poolIsGone) {
        once.run();
      }
    });
    return () -> {
      begun.set(true);
      unowned.owner().cancelTimer(id);
    };
  }

  @Override
  public Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - createdNanos);
  }

  private static long wholeMillis(Duration delay) {
    return (bounded(delay).toNanos() + 999_999) / 1_000_000;
  }

  /** The delay that is kept instead of {@code delay}: few enough nanoseconds for a long. */
  static Duration bounded(Duration delay) {
    if (delay.compareTo(SHORTEST) < 0) {
      return SHORTEST;
    }
    return delay.compareTo(ContractDefaults.LONGEST_DURATION) > 0
        ? ContractDefaults.LONGEST_DURATION
        : delay;
  }
}
