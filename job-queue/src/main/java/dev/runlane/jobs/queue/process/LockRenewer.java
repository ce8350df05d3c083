package dev.runlane.jobs.queue.process;

import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.queue.host.Deadline;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.timing.Clock;
import dev.runlane.timing.LeaseEnds;
import dev.runlane.timing.SweepLoop;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Renews the locks of all jobs that this process holds, many with one call, each a third into its duration. The
 * listener of a lock is called when it ends by this process's own time, counted from when it was asked for, whatever a
 * renewal does that fails or hangs. Touched on the home context only.
 */
public final class LockRenewer {
  /** Most locks in one call. */
  private static final int BATCH = 1_000;

  /** A lock is renewed this many times before it would run out. */
  private static final int RENEWALS = 3;

  private final JobStore store;
  private final JobsHost host;
  private final Clock clock;
  private final Map<Duration, LockGroup> groups = new HashMap<>();

  LockRenewer(JobStore store, JobsHost host, Clock clock) {
    this.store = store;
    this.host = host;
    this.clock = clock;
  }

  /**
   * Keeps a lock that was taken for {@code duration} just now, until {@link #remove}.
   *
   * @param takenAt when it was asked for, on the timers' own time
   * @param listener called when the job was cancelled or the lock is lost, and when it may be: it ran out while the
   *     store could not be reached
   */
  public void add(
      JobLock lock, Duration duration, Duration takenAt, Consumer<LockStatus> listener) {
    groups.computeIfAbsent(duration, LockGroup::new).add(new HeldLock(lock, listener, takenAt));
  }

  /** Whether the lock is kept here. */
  public boolean holds(JobLock lock) {
    return groups.values().stream().anyMatch(group -> group.held.containsKey(lock));
  }

  /** Renews the lock no more. */
  public void remove(JobLock lock, Duration duration) {
    LockGroup group = groups.get(duration);
    if (group != null) {
      group.remove(lock);
    }
  }

  /** Renews nothing any more; completes when the calls that run have ended. */
  public Future<?> close() {
    List<Future<Void>> ended = groups.values().stream().map(LockGroup::close).toList();
    groups.clear();
    return Future.join(ended);
  }

  /** The locks of one duration. */
  private final class LockGroup {
    private final Duration duration;
    private final Map<JobLock, HeldLock> held = new LinkedHashMap<>();
    private final LeaseEnds<HeldLock> ends;
    private final SweepLoop loop;

    LockGroup(Duration duration) {
      this.duration = duration;
      // A lock that has ended is renewed all the same: nobody may have taken the job over, and its
      // handler is still at it.
      ends = new LeaseEnds<>(
          host.timers(),
          each -> each.renewedAt.plus(duration),
          each -> each.listener.accept(LockStatus.LOST));
      Duration part = duration.dividedBy(RENEWALS * 2L);
      loop = new SweepLoop(
          host.timers(), "job lock renewal", this::sweep, part.isZero() ? duration : part);
      loop.start();
    }

    void add(HeldLock lock) {
      held.put(lock.lock, lock);
      ends.add(lock);
    }

    void remove(JobLock lock) {
      HeldLock gone = held.remove(lock);
      if (gone != null) {
        ends.remove(gone);
      }
    }

    Future<Void> close() {
      List.copyOf(held.keySet()).forEach(this::remove);
      return loop.stop();
    }

    private Future<Boolean> sweep() {
      Duration now = host.timers().elapsed();
      Duration due = duration.dividedBy(RENEWALS * 2L);
      List<HeldLock> old = new ArrayList<>();
      for (HeldLock each : held.values()) {
        if (now.minus(each.renewedAt).compareTo(due) >= 0) {
          old.add(each);
        }
      }
      return renew(old, 0).map(renewed -> false);
    }

    /** One batch after the other; one that fails keeps none of those behind it from being renewed. */
    private Future<Void> renew(List<HeldLock> old, int from) {
      if (from >= old.size()) {
        return Future.succeededFuture();
      }
      List<HeldLock> batch = nextBatch(old, from);
      Duration asked = host.timers().elapsed();
      return Deadline.on(
              host.timers(),
              store.extendLocks(
                  batch.stream().map(each -> each.lock).toList(), duration, clock.now()),
              duration.dividedBy(RENEWALS),
              "the renewal of locks")
          .<Void>map(answers -> {
            for (int i = 0; i < batch.size(); i++) {
              renewed(batch.get(i), answers.get(i), asked);
            }
            return null;
          })
          .transform((done, failure) -> renew(old, from + batch.size())
              .compose(others ->
                  failure == null ? Future.succeededFuture() : Future.failedFuture(failure)));
    }

    /** A job that was lost and came again may have two locks here; a call names each job once. */
    private List<HeldLock> nextBatch(List<HeldLock> old, int from) {
      Set<List<String>> jobs = new HashSet<>();
      int end = from;
      while (end < old.size() && end < from + BATCH && jobs.add(old.get(end).job())) {
        end++;
      }
      return old.subList(from, end);
    }

    private void renewed(HeldLock each, LockStatus status, Duration asked) {
      each.renewedAt = asked;
      if (status != LockStatus.HELD && held.get(each.lock) == each) {
        if (status == LockStatus.LOST) {
          remove(each.lock);
        }
        each.listener.accept(status);
      }
    }
  }

  /** One lock. */
  private static final class HeldLock {
    private final JobLock lock;
    private final Consumer<LockStatus> listener;
    private Duration renewedAt; // on the timers' own time

    HeldLock(JobLock lock, Consumer<LockStatus> listener, Duration renewedAt) {
      this.lock = lock;
      this.listener = listener;
      this.renewedAt = renewedAt;
    }

    List<String> job() {
      return List.of(lock.queueName(), lock.jobId());
    }
  }
}
