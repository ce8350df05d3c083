package dev.runlane.runtime;

import dev.runlane.timing.SweepLoop;
import io.vertx.core.Future;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of this process and notices their ends. Awake while it holds one or somebody wants it to be, however its
 * workers were deployed; asleep after the last attempt. Touched on the home context only.
 */
final class LeaseHeartbeater {
  private static final int SWEEPS_PER_INTERVAL = 10; // what a heartbeat may be late by

  private final RuntimeContext context;
  private final LeaseBook book;
  private int wanted;
  private @Nullable SweepLoop loop;

  LeaseHeartbeater(RuntimeContext context, LeaseBook book) {
    this.context = context;
    this.book = book;
  }

  /** One pass: sends what is due. Answers false, since nothing is ever left waiting. */
  Future<Boolean> sweepOnce() {
    book.tend(pause());
    if (wanted == 0 && book.isEmpty()) {
      context.host().defer(this::sleepIfIdle); // a loop cannot be stopped by its own sweep
    }
    return Future.succeededFuture(false);
  }

  /** Makes sure that what the book holds is renewed from now on. */
  void wake() {
    if (loop == null) {
      loop = new SweepLoop(context.timers(), "lease heartbeater", this::sweepOnce, pause());
      loop.start();
    }
  }

  /** Stays awake until {@link #release()}, leases or not. */
  void retain() {
    wanted++;
    wake();
  }

  /** Ends one {@link #retain()}. */
  void release() {
    wanted--;
    sleepIfIdle();
  }

  private Duration pause() {
    return context.options().getLeaseDuration().dividedBy(3L * SWEEPS_PER_INTERVAL);
  }

  private void sleepIfIdle() {
    if (wanted == 0 && book.isEmpty() && loop != null) {
      loop.stop();
      loop = null;
    }
  }
}
