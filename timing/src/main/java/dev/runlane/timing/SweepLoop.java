package dev.runlane.timing;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the sweeps of one periodic role: never two at once, the next armed when the last ends, nothing
 * after stop. A sweep that completes with true (more is waiting) is followed by the next in a later turn,
 * any other by the next after the idle delay, or sooner if {@link #wake} or {@link #wakeIn} ask for it. A
 * sweep that fails, throws or returns null is logged, and the idle delay is kept before the next, whatever
 * was asked for meanwhile: a role that requests its own sweeps cannot run hot on a broken backend.
 *
 * <p>All methods are called on one context, the role's own; the timers must run their actions and the
 * sweeps must complete their futures there too. Nothing here is safe for use by several threads.
 */
public final class SweepLoop {
  private static final Logger LOG = LoggerFactory.getLogger(SweepLoop.class);
  private static final Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);

  private final Timers timers;
  private final String name;
  private final Supplier<Future<Boolean>> sweepOnce;
  private final Duration idleDelay;
  private final Supplier<Duration> pause; // after a sweep that left nothing waiting
  private final @Nullable Executor turns;
  private final FailureLog failures;

  private Phase phase = Phase.NEW;
  private Future<Void> outstanding = Future.succeededFuture(); // the last sweep's end, never failed
  private Timers.@Nullable Timer
      timer; // of the next sweep; cancelling one that has run does nothing
  private Duration due = NEVER; // when the next sweep is wanted, on the timers' own time

  /**
   * A loop that has not started.
   *
   * @param name says in the log whose sweep failed
   * @param sweepOnce one pass of the role; completes with true when more is waiting already
   * @param idleDelay the pause between two sweeps with nothing to do, or after a failure
   */
  public SweepLoop(
      Timers timers, String name, Supplier<Future<Boolean>> sweepOnce, Duration idleDelay) {
    this(timers, name, sweepOnce, idleDelay, () -> idleDelay);
  }

  /**
   * A loop that has not started, of a role that knows how long it may pause.
   *
   * @param idleDelay the pause after a failure
   * @param pause the pause after a sweep with nothing left to do; asked once after each, on the role's context
   */
  public SweepLoop(
      Timers timers,
      String name,
      Supplier<Future<Boolean>> sweepOnce,
      Duration idleDelay,
      Supplier<Duration> pause) {
    this(timers, name, sweepOnce, idleDelay, pause, null);
  }

  /**
   * A loop that has not started, of a role whose sweeps wait for something themselves.
   *
   * @param turns runs an action on the role's context in the next turn: a sweep that follows at once waits for no
   *     timer, which takes a millisecond at least
   */
  public SweepLoop(
      Timers timers,
      String name,
      Supplier<Future<Boolean>> sweepOnce,
      Duration idleDelay,
      Executor turns) {
    this(
        timers,
        name,
        sweepOnce,
        idleDelay,
        () -> idleDelay,
        Objects.requireNonNull(turns, "turns"));
  }

  private SweepLoop(
      Timers timers,
      String name,
      Supplier<Future<Boolean>> sweepOnce,
      Duration idleDelay,
      Supplier<Duration> pause,
      @Nullable Executor turns) {
    this.timers = Objects.requireNonNull(timers, "timers");
    this.name = Objects.requireNonNull(name, "name");
    this.sweepOnce = Objects.requireNonNull(sweepOnce, "sweepOnce");
    this.idleDelay = Objects.requireNonNull(idleDelay, "idleDelay");
    this.pause = Objects.requireNonNull(pause, "pause");
    this.turns = turns;
    this.failures = new FailureLog(LOG, name + " sweep", timers);
  }

  /**
   * Arms the first sweep for the next turn.
   *
   * @throws IllegalStateException if the loop was started or stopped before
   */
  public void start() {
    if (phase != Phase.NEW) {
      throw new IllegalStateException("the " + name + " loop is started once, but is " + phase);
    }
    arm(Duration.ZERO);
  }

  /**
   * Something is waiting: sweeps at once when idle, else once more as soon as the running sweep ends. However
   * often it is called during one sweep, one follows. Does nothing unless started, or after stop.
   */
  public void wake() {
    if (phase == Phase.IDLE) {
      disarm();
      sweep();
    } else if (phase == Phase.SWEEPING) {
      due = timers.elapsed();
    }
  }

  /**
   * Something will be due in {@code delay}: the next sweep begins then at the latest, never before the
   * running one ends. It asks for the next sweep only, so a sweep asks anew for what it leaves behind. Does
   * nothing if the next sweep comes earlier anyway, unless started, or after stop.
   */
  public void wakeIn(Duration delay) {
    Duration wanted = timers.elapsed().plus(delay);
    if (wanted.compareTo(due) >= 0) {
      return;
    }
    if (phase == Phase.IDLE) {
      disarm();
      arm(delay);
    } else if (phase == Phase.SWEEPING) {
      due = wanted;
    }
  }

  /**
   * Ends the loop: no sweep begins any more. Not to be called by the sweep itself before it has returned its
   * future.
   *
   * @return completes when the sweep in flight has ended, however it ended; the same for every call
   */
  public Future<Void> stop() {
    phase = Phase.STOPPED;
    disarm();
    return outstanding;
  }

  private void sweep() {
    phase = Phase.SWEEPING;
    due = NEVER;
    // Inside compose and map, a sweep that throws or answers null is one that failed.
    outstanding = Future.<Void>succeededFuture()
        .compose(start -> Objects.requireNonNull(sweepOnce.get(), "the sweep returned no future"))
        .map(moreWaiting -> Objects.requireNonNull(moreWaiting, "the sweep completed with null"))
        .transform((moreWaiting, failure) -> {
          Duration next = nextDelay(moreWaiting, failure);
          if (phase == Phase.SWEEPING) {
            arm(next);
          }
          return Future.<Void>succeededFuture();
        })
        .recover(refused -> {
          told("{} loop could not arm its next sweep, only a wake begins one", name, refused);
          return Future.succeededFuture();
        });
  }

  /** The loop goes on, whatever the role's pause or a log throws. */
  private Duration nextDelay(@Nullable Boolean moreWaiting, @Nullable Throwable failure) {
    try {
      return failure == null ? delayAfter(Boolean.TRUE.equals(moreWaiting)) : delayAfter(failure);
    } catch (Throwable thrown) {
      told(
          "{} loop does not know when its next sweep is due, it comes in {}",
          name,
          idleDelay,
          FailureLog.readable(thrown));
      return idleDelay;
    }
  }

  /** A log that fails stops no role. */
  private static void told(String what, @Nullable Object... of) {
    try {
      LOG.error(what, of);
    } catch (Throwable ofAppender) {
      // nowhere is left to tell it
    }
  }

  private Duration delayAfter(boolean moreWaiting) {
    failures.succeeded();
    if (moreWaiting) {
      return Duration.ZERO;
    }
    Duration untilDue = due.minus(timers.elapsed());
    Duration longest = pause.get();
    return untilDue.compareTo(longest) < 0 ? untilDue : longest;
  }

  private Duration delayAfter(Throwable failure) {
    failures.failed(failure, idleDelay);
    return idleDelay;
  }

  private void arm(Duration delay) {
    phase = Phase.IDLE;
    due = timers.elapsed().plus(delay);
    timer = turns != null && delay.isZero() ? nextTurn(turns) : timers.schedule(delay, this::sweep);
  }

  private Timers.Timer nextTurn(Executor turns) {
    Turn next = new Turn();
    turns.execute(next);
    return next;
  }

  private void disarm() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** A sweep in a later turn. */
  private final class Turn implements Runnable, Timers.Timer {
    private boolean isCancelled;

    @Override
    public void run() {
      if (!isCancelled) {
        sweep();
      }
    }

    @Override
    public void cancel() {
      isCancelled = true;
    }
  }

  private enum Phase {
    NEW,
    IDLE,
    SWEEPING,
    STOPPED
  }
}
