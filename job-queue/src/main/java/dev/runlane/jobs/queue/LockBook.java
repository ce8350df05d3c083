package dev.runlane.jobs.queue;

import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobStore;
import dev.runlane.jobs.LockStatus;
import dev.runlane.timing.Clock;
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
 * Renews the locks of all jobs that this process holds, many with one call, each a third into its duration.
 * Touched on the home context only.
 */
final class LockBook {
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
   * @param news told when the job was cancelled or the lock is lost, and when it may be: it ran out while the
   *     store could not be reached
   */
  void hold(JobLock lock, Duration duration, Duration takenAt, Consumer<LockStatus> news) {
    shelves.computeIfAbsent(duration, Shelf::new).held.put(lock, new Held(lock, news, takenAt));
  }

  /** Renews the lock no more. */
  void drop(JobLock lock, Duration duration) {
    Shelf shelf = shelves.get(duration);
    if (shelf != null) {
      shelf.held.remove(lock);
    }
  }

  /** Renews nothing any more; completes when the calls that run have ended. */
  Future<?> close() {
    List<Future<Void>> ended =
        shelves.values().stream().map(shelf -> shelf.loop.stop()).toList();
    shelves.clear();
    return Future.join(ended);
  }

  /** The locks of one duration. */
  private final class Shelf {
    private final Duration duration;
    private final Map<JobLock, Held> held = new LinkedHashMap<>();
    private final SweepLoop loop;

    Shelf(Duration duration) {
      this.duration = duration;
      Duration part = duration.dividedBy(RENEWALS * 2L);
      loop = new SweepLoop(
          home.timers(), "job lock renewal", this::sweep, part.isZero() ? duration : part);
      loop.start();
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
      return renew(old, 0).onFailure(failure -> tellExpired(old)).map(renewed -> false);
    }

    private Future<Void> renew(List<Held> old, int from) {
      if (from >= old.size()) {
        return Future.succeededFuture();
      }
      List<Held> batch = old.subList(from, Math.min(old.size(), from + BATCH));
      Duration asked = home.timers().elapsed();
      return store
          .extendLocks(batch.stream().map(each -> each.lock).toList(), duration, clock.now())
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
          held.remove(each.lock);
        }
        each.news.accept(status);
      }
    }

    private void tellExpired(List<Held> old) {
      Duration now = home.timers().elapsed();
      for (Held each : old) {
        boolean expired = now.minus(each.renewedAt).compareTo(duration) >= 0;
        if (expired && held.get(each.lock) == each) {
          each.news.accept(LockStatus.LOST);
        }
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
