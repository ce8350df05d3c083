package dev.runlane.timing;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one worker, and its looks for work that fill them.
 *
 * <pre>
 *   hint, free slot ─► lookSoon ─► fill ─► look ─► claim ─► begin ─► take
 *                       end of     few free:        │
 *                       the turn   wait for others  └─ failed: again after a back-off
 * </pre>
 *
 * <p>One look at a time claims for all slots that are free, since a claim costs the same for one as for many; what asks
 * for a look meanwhile, or while no slot is free, gets one afterwards. What is claimed, how long it is held and how it
 * drains is the owner's affair. All methods are called on one context, the owner's own; timers and futures come
 * back there.
 */
public final class Slots {
  /** How long an owner waits after looks that failed. */
  public static final Backoff AFTER_FAILURE =
      Backoff.exponential(Duration.ofMillis(200), Duration.ofSeconds(5)).withJitter(0.2);

  /** Work was there, but locked by a competing claim: how long until the next look. */
  private static final Duration CONTENDED = Duration.ofMillis(5);

  /** A look is worth a claim of its own for this part of the slots. */
  private static final int GATHERED_PART = 4;

  private final Timers timers;
  private final Executor later;
  private final int concurrency;
  private final Duration gather;
  private final Work work;
  private Future<?> looked = Future.succeededFuture(); // the last look's end, never failed
  private Timers.@Nullable Timer timer;
  private Duration due = Duration.ZERO; // when that fires
  private boolean started;
  private boolean paused;
  private boolean stopped;
  private boolean looking;
  private boolean again; // a look is wanted beside the one under way, or when a slot is free
  private boolean backlog; // the last look left work behind
  private boolean deferred;
  private int busy; // handlers that run
  private int unstored; // handlers that have ended, and whose outcomes are on their way
  private int failures;

  /**
   * @param later runs an action in a later turn, after what this turn has set off already
   * @param gather how long a free slot of a busy worker waits at most for others, to be filled together
   */
  public Slots(Timers timers, Executor later, int concurrency, Duration gather, Work work) {
    this.timers = timers;
    this.later = later;
    this.concurrency = concurrency;
    this.gather = gather;
    this.work = work;
  }

  /** Begins to look. */
  public void start() {
    started = true;
    lookSoon();
  }

  /** Begins no look until {@link #resume()}. */
  public void pause() {
    paused = true;
    disarm();
  }

  /** Looks again. Does nothing unless paused. */
  public void resume() {
    if (paused) {
      paused = false;
      lookSoon();
    }
  }

  /** Begins no look any more; completes, and never fails, when the owner has what the look under way has claimed. */
  public Future<?> stop() {
    stopped = true;
    disarm();
    return looked;
  }

  /** Something may be waiting: looks at the end of this turn, so that slots freed in it are filled together. */
  public void lookSoon() {
    again = true;
    if (!deferred && works()) {
      deferred = true;
      later.execute(() -> {
        deferred = false;
        fill();
      });
    }
  }

  /** Looks after {@code delay} at the latest. */
  public void lookWithin(Duration delay) {
    Duration wanted = timers.elapsed().plus(delay);
    if (!works() || (timer != null && due.compareTo(wanted) <= 0)) {
      return;
    }
    disarm();
    due = wanted;
    timer = timers.schedule(delay, () -> {
      timer = null;
      look();
    });
  }

  /**
   * Takes one slot until its handler has ended. Outcomes are stored beside the next handlers' work, as many as
   * there are slots, so that a slow storage slows the looks down.
   */
  public void take(Future<?> handled, Future<?> stored) {
    busy++;
    handled.onComplete(ended -> {
      busy--;
      unstored++;
      stored.onComplete(done -> unstored--);
      freed();
    });
    stored.onComplete(done -> freed());
  }

  /** Whether no slot is free and work waits, or may wait. */
  public boolean isWanted() {
    return (again || backlog) && free() <= 0;
  }

  private boolean works() {
    return started && !paused && !stopped;
  }

  private int free() {
    return concurrency - busy - Math.max(0, unstored - concurrency);
  }

  private void freed() {
    if (again || backlog || work.looksAfterEachEnd()) {
      lookSoon();
    }
  }

  private void fill() {
    int free = free();
    if (free <= 0 || free >= concurrency / GATHERED_PART) {
      look();
    } else {
      lookWithin(gather);
    }
  }

  private void look() {
    int free = free();
    if (!works()) {
      return;
    }
    again = true;
    if (looking || free <= 0) {
      return;
    }
    Duration heldBack = work.heldBack();
    if (heldBack.compareTo(Duration.ZERO) > 0) {
      lookWithin(heldBack);
      return;
    }
    disarm();
    looking = true;
    again = false;
    looked = Future.<Void>succeededFuture()
        .compose(start -> work.claim(free))
        .map(found -> {
          looking = false;
          found(found);
          return null;
        })
        .otherwise(failure -> {
          looking = false;
          lookWithin(work.failed(failure, ++failures));
          return null;
        });
  }

  private void found(Found found) {
    failures = 0;
    backlog = found.mayHaveMore();
    found.begin().run();
    if (!works()) {
      return;
    }
    if (again || (backlog && !found.isEmpty())) {
      lookSoon();
    } else if (backlog) {
      lookWithin(CONTENDED);
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

  /** What the owner of the slots does. */
  public interface Work {
    /** How long from now on no look may be made, whoever asks for one; zero or less: it may. */
    Duration heldBack();

    /** Claims work for at most {@code free} slots, at least 1. */
    Future<Found> claim(int free);

    /** Whether to look whenever a handler has ended or its outcome is stored, also where nothing is known to wait. */
    boolean looksAfterEachEnd();

    /** Nothing more waits: {@link #lookWithin} says when to look unasked. */
    void idle(boolean nothingFound);

    /** A look failed, the last of so many in a row: how long until the next, unless something asks for one before. */
    Duration failed(Throwable failure, int inARow);
  }

  /**
   * What a look has claimed.
   *
   * @param mayHaveMore whether another look soon is worthwhile
   * @param begin begins it and takes slots for it, or hands it back where the slots were stopped meanwhile
   */
  public record Found(boolean isEmpty, boolean mayHaveMore, Runnable begin) {}
}
