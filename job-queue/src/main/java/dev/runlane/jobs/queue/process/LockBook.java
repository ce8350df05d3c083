package dev.runlane.jobs.queue.process;

import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.queue.host.Deadline;
import dev.runlane.jobs.queue.host.Home;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.timing.Clock;
import dev.runlane.timing.LeaseEnds;
import dev.runlane.timing.SweepLoop;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Renews the locks of all jobs that this process holds, many with one call, each a third into its duration. Whoever
 * holds a lock is told when it ends by this process's own time, counted from when it was asked for, whatever a
 * renewal does that fails or hangs. Touched on the home context only.
 */
public final class LockBook {
  /** Most locks in one call. */
  private static final int BATCH = 1_000;

  /** A lock is renewed this many times before it would run out. */
  private static final int RENEWALS = 3;

  private final JobStore store;
  private final Home home;
  private final Clock clock;
  private final Map<Duration, Shelf> shelves = new HashMap<>();

  LockBook(JobStore store, Home home, Clock clock) {
    this.store = store;
    this.home = home;
    this.clock = clock;
  }

  /**
   * Keeps a lock that was taken for {@code duration} just now, until {@link #drop}.
   *
   * @param takenAt when it was asked for, on the timers' own time
   * @param news told when the job was cancelled or the lock is lost, and when it may be: it ran out while the
   *     store could not be reached
   */
  public void hold(JobLock lock, Duration duration, Duration takenAt, Consumer<LockStatus> news) {
    shelves.computeIfAbsent(duration, Shelf::new).add(new Held(lock, news, takenAt));
  }

  /** Renews the lock no more. */
  public void drop(JobLock lock, Duration duration) {
    Shelf shelf = shelves.get(duration);
    if (shelf != null) {
      shelf.remove(lock);
    }
  }

  /** Renews nothing any more; completes when the calls that run have ended. */
  public Future<?> close() {
    List<Future<Void>> ended = shelves.values().stream().map(Shelf::close).toList();
    shelves.clear();
    return Future.join(ended);
  }

  /** The locks of one duration. */
  private final class Shelf {
    private final Duration duration;
    private final Map<JobLock, Held> held = new LinkedHashMap<>();
    private final LeaseEnds<Held> ends;
    private final SweepLoop loop;

    Shelf(Duration duration) {
      this.duration = duration;
      // A lock that has ended is renewed all the same: nobody may have taken the job over, and its
      // handler is still at it.
      ends = new LeaseEnds<>(
          home.timers(),
          each -> each.renewedAt.plus(duration),
          each -> each.news.accept(LockStatus.LOST));
      Duration part = duration.dividedBy(RENEWALS * 2L);
      loop = new SweepLoop(
          home.timers(), "job lock renewal", this::sweep, part.isZero() ? duration : part);
      loop.start();
    }

    void add(Held lock) {
      held.put(lock.lock, lock);
      ends.add(lock);
    }

    void remove(JobLock lock) {
      Held gone = held.remove(lock);
      if (gone != null) {
        ends.remove(gone);
      }
    }

    Future<Void> close() {
      List.copyOf(held.keySet()).forEach(this::remove);
      return loop.stop();
    }

    private Future<Boolean> sweep() {
      Duration now = home.timers().elapsed();
      Duration due = duration.dividedBy(RENEWALS * 2L);
      List<Held> old = new ArrayList<>();
      for (Held each : held.values()) {
        if (now.minus(each.renewedAt).compareTo(due) >= 0) {
          old.add(each);
        }
      }
      return renew(old, 0).map(renewed -> false);
    }

    private Future<Void> renew(List<Held> old, int from) {
      if (from >= old.size()) {
        return Future.succeededFuture();
      }
      List<Held> batch = old.subList(from, Math.min(old.size(), from + BATCH));
      Duration asked = home.timers().elapsed();
      return Deadline.on(
              home.timers(),
              store.extendLocks(
                  batch.stream().map(each -> each.lock).toList(), duration, clock.now()),
              duration.dividedBy(RENEWALS),
              "the renewal of locks")
          .compose(answers -> {
            for (int i = 0; i < batch.size(); i++) {
              renewed(batch.get(i), answers.get(i), asked);
            }
            return renew(old, from + BATCH);
          });
    }

    private void renewed(Held each, LockStatus status, Duration asked) {
      each.renewedAt = asked;
      if (status != LockStatus.HELD && held.get(each.lock) == each) {
        if (status == LockStatus.LOST) {
          remove(each.lock);
        }
        each.news.accept(status);
      }
    }
  }

  /** One lock. */
  private static final class Held {
    private final JobLock lock;
    private final Consumer<LockStatus> news;
    private Duration renewedAt; // on the timers' own time

    Held(JobLock lock, Consumer<LockStatus> news, Duration renewedAt) {
      this.lock = lock;
      this.news = news;
      this.renewedAt = renewedAt;
    }
  }
}
