package dev.runlane.timing;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one worker, and the polls for work that fill them.
 *
 * <pre>
 *   hint, free slot ─► pollSoon ─► fill ─► poll ─► claim ─► begin ─► take
 *                       end of     few free:        │
 *                       the turn   wait for others  └─ failed: again after a back-off
 * </pre>
 *
 * <p>One poll at a time claims for all slots that are free, since a claim costs the same for one as for many; a poll
 * that is requested during another, or while no slot is free, is made afterwards. What is claimed, how long it is held
 * and how it drains is the owner's affair. All methods are called on one context, the owner's own; timers and futures
 * come back there.
 */
public final class Slots {
  /** How long an owner waits after polls that failed. */
  public static final Backoff AFTER_FAILURE =
      Backoff.exponential(Duration.ofMillis(200), Duration.ofSeconds(5)).withJitter(0.2);

  /** Work was there, but locked by a competing claim: how long until the next poll. */
  private static final Duration CONTENDED = Duration.ofMillis(5);

  /** A poll is worth a claim of its own for this part of the slots. */
  private static final int GATHERED_PART = 4;

  private final Timers timers;
  private final Executor later;
  private final int concurrency;
  private final Duration gather;
  private final WorkSource work;
  private Future<?> polled = Future.succeededFuture(); // the last poll's end, never failed
  private Timers.@Nullable Timer timer;
  private Duration due = Duration.ZERO; // when that fires
  private boolean started;
  private boolean paused;
  private boolean stopped;
  private boolean polling;
  private boolean again; // a poll is requested beside the one under way, or when a slot is free
  private boolean backlog; // the last poll left work behind
  private boolean deferred;
  private final Queue<Slot> returning =
      new ArrayDeque<>(); // whose handlers wait for a slot to go on
  private int busy; // handlers that run
  private int unstored; // handlers that have ended, and whose outcomes are on their way
  private int failures;

  /**
   * @param later runs an action in a later turn, after what this turn has set off already
   * @param gather how long a free slot of a busy worker waits at most for others, to be filled together
   */
  public Slots(Timers timers, Executor later, int concurrency, Duration gather, WorkSource work) {
    this.timers = timers;
    this.later = later;
    this.concurrency = concurrency;
    this.gather = gather;
    this.work = work;
  }

  /** Begins to poll. */
  public void start() {
    started = true;
    pollSoon();
  }

  /** Begins no poll until {@link #resume()}. */
  public void pause() {
    paused = true;
    disarm();
  }

  /** Polls again. Does nothing unless paused. */
  public void resume() {
    if (paused) {
      paused = false;
      pollSoon();
    }
  }

  /** Begins no poll any more; completes, and never fails, when the owner has what the poll under way has claimed. */
  public Future<?> stop() {
    stopped = true;
    disarm();
    return polled;
  }

  /** Something may be waiting: polls at the end of this turn, so that slots freed in it are filled together. */
  public void pollSoon() {
    again = true;
    if (!deferred && isActive()) {
      deferred = true;
      later.execute(() -> {
        deferred = false;
        fill();
      });
    }
  }

  /** Polls after {@code delay} at the latest. */
  public void pollWithin(Duration delay) {
    Duration wanted = timers.elapsed().plus(delay);
    if (!isActive() || (timer != null && due.compareTo(wanted) <= 0)) {
      return;
    }
    disarm();
    due = wanted;
    timer = timers.schedule(delay, () -> {
      timer = null;
      poll();
    });
  }

  /** Takes one slot for a handler that keeps it until it has ended; see {@link Slot#until}. */
  public void take(Future<?> handled, Future<?> stored) {
    take().until(handled, stored);
  }

  /** Takes one slot for a handler that may give it back while it waits. */
  public Slot take() {
    busy++;
    return new Slot();
  }

  /** Whether no slot is free and somebody waits for one, or may. */
  public boolean isWanted() {
    return (again || backlog || !returning.isEmpty()) && free() <= 0;
  }

  /** Whether the last poll left work behind, for which one claim fills as many slots as are free. */
  public boolean hasBacklog() {
    return backlog;
  }

  private boolean isActive() {
    return started && !paused && !stopped;
  }

  private int free() {
    return concurrency - busy - Math.max(0, unstored - concurrency);
  }

  /** Handlers that go on are before work that begins. */
  private void freed() {
    while (free() > 0 && !returning.isEmpty()) {
      returning.remove().goOn();
    }
    if (again || backlog || work.pollsAfterEachEnd()) {
      pollSoon();
    }
  }

  private void fill() {
    int free = free();
    if (free <= 0 || free >= concurrency / GATHERED_PART) {
      poll();
    } else {
      pollWithin(gather);
    }
  }

  private void poll() {
    int free = free();
    if (!isActive()) {
      return;
    }
    again = true;
    if (polling || free <= 0) {
      return;
    }
    Duration pause = work.pollDelay();
    if (pause.compareTo(Duration.ZERO) > 0) {
      pollWithin(pause);
      return;
    }
    disarm();
    polling = true;
    again = false;
    polled = Future.<Void>succeededFuture()
        .compose(start -> work.claim(free))
        .map(found -> {
          polling = false;
          found(found);
          return null;
        })
        .otherwise(failure -> {
          polling = false;
          pollWithin(work.failed(failure, ++failures));
          return null;
        });
  }

  private void found(Found found) {
    failures = 0;
    backlog = found.mayHaveMore();
    found.begin().run();
    if (!isActive()) {
      return;
    }
    if (again || (backlog && !found.isEmpty())) {
      pollSoon();
    } else if (backlog) {
      pollWithin(CONTENDED);
    } else {
      work.idle(found.isEmpty());
    }
  }

  private void disarm() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** The slot of one handler. */
  public final class Slot {
    private boolean isHeld = true;
    private boolean isOver;
    private @Nullable Runnable next; // what its handler goes on with

    private Slot() {}

    /**
     * It is free for good when its handler has ended. Outcomes are stored beside the next handlers' work, as many as
     * there are slots, so that a slow storage slows the polls down.
     */
    public void until(Future<?> handled, Future<?> stored) {
      handled.onComplete(ended -> {
        isOver = true;
        giveBack();
        returning.remove(this);
        unstored++;
        freed();
        stored.onComplete(done -> {
          unstored--;
          freed();
        });
      });
      stored.onComplete(done -> freed());
    }

    /** Gives the slot to others while its handler only waits. */
    public void lend() {
      giveBack();
      freed();
    }

    /** Runs the action, which lets the handler go on, with a slot: now where one is free. At most one is waited for. */
    public void reclaim(Runnable action) {
      if (isHeld || isOver) {
        action.run();
        return;
      }
      next = action;
      returning.add(this);
      freed();
    }

    private void giveBack() {
      if (isHeld) {
        isHeld = false;
        busy--;
      }
    }

    private void goOn() {
      isHeld = true;
      busy++;
      Runnable action = next;
      next = null;
      if (action != null) {
        action.run();
      }
    }
  }

  /** What the owner of the slots does. */
  public interface WorkSource {
    /** How long from now on no poll may be made, whoever requests one; zero or less: it may. */
    Duration pollDelay();

    /** Claims work for at most {@code free} slots, at least 1. */
    Future<Found> claim(int free);

    /** Whether to poll whenever a handler has ended or its outcome is stored, also where nothing is known to wait. */
    boolean pollsAfterEachEnd();

    /** Nothing more waits: {@link #pollWithin} says when to poll unasked. */
    void idle(boolean nothingFound);

    /** A poll failed, the last of so many in a row: how long until the next, unless one is requested before. */
    Duration failed(Throwable failure, int inARow);
  }

  /**
   * What a poll has claimed.
   *
   * @param mayHaveMore whether another poll soon is worthwhile
   * @param begin begins it and takes slots for it, or hands it back where the slots have been stopped since
   */
  public record Found(boolean isEmpty, boolean mayHaveMore, Runnable begin) {}
}
