package dev.runlane.jobs.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Race;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.jobs.store.SavedJob;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Job stores that look in one turn and write in another, as one does that asks a server twice. Alone each of their
 * commands is answered rightly: only a race shows what they do wrong.
 */
final class RacyJobFaults {
  static final List<BrokenAdapter<JobStore>> ALL = List.of(
      that("gives workers that ask at once the same jobs", SharedFetch::new),
      that("counts the active jobs of a queue before it hands one out", CountsBeforeFetch::new),
      that("looks for the lock before it ends a hand-out", LooksBeforeEnd::new),
      that("looks for the lock before it renews it", LooksBeforeRenewal::new),
      that("compares the state before it writes the job", ComparesBeforeUpdate::new),
      that("counts jobs that another call promotes as its own", CountsBeforePromotion::new),
      that("looks whether a job is open before it cancels it", LooksBeforeCancel::new),
      that("looks when a schedule is due before it fires it", LooksBeforeFire::new));

  private RacyJobFaults() {}

  /** Goes on when the other contenders have been started too; at once where there is no race. */
  private static <T> Future<T> later(Supplier<Future<T>> then) {
    return Race.allStarted().compose(ready -> then.get());
  }

  private static Future<Boolean> isHeld(JobStore real, JobLock lock) {
    return real.getJob(lock.queueName(), lock.jobId())
        .map(job -> job.filter(each -> each.state() == JobState.ACTIVE)
            .filter(each -> lock.token().equals(each.lockToken()))
            .isPresent());
  }

  /** Whoever asks while somebody else is being answered is answered the same. */
  private static final class SharedFetch extends ForwardingJobStore {
    private final AtomicReference<@Nullable Future<List<JobData>>> asked = new AtomicReference<>();

    SharedFetch(JobStore real) {
      super(real);
    }

    @Override
    public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
      Promise<List<JobData>> answer = Promise.promise();
      Future<List<JobData>> before = asked.compareAndExchange(null, answer.future());
      if (before != null) {
        return before;
      }
      later(() -> super.fetchNextJobs(command))
          .onComplete(ended -> asked.set(null))
          .onComplete(answer);
      return answer.future();
    }
  }

  private static final class CountsBeforeFetch extends ForwardingJobStore {
    CountsBeforeFetch(JobStore real) {
      super(real);
    }

    @Override
    public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
      Integer most = command.options().globalConcurrency();
      if (most == null) {
        return super.fetchNextJobs(command);
      }
      return super.getActiveCount(command.queueName())
          .compose(active -> later(() -> active >= most
              ? Future.succeededFuture(List.of())
              : super.fetchNextJobs(command
                  .with(command.options().withGlobalConcurrency(1_000_000))
                  .upTo((int) Math.min(command.limit(), most - active)))));
    }
  }

  private static final class LooksBeforeEnd extends ForwardingJobStore {
    LooksBeforeEnd(JobStore real) {
      super(real);
    }

    @Override
    public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
      if (commands.size() != 1) {
        return super.finishJobs(commands);
      }
      FinishJob command = commands.get(0);
      JobLock lock = command.lock();
      return isHeld(delegate, lock)
          .compose(held -> later(() -> super.finishJobs(commands).compose(results -> {
            boolean isBeaten = held && results.get(0) instanceof FinishResult.LockLost;
            return isBeaten
                ? super.updateJob(
                        lock.queueName(), lock.jobId(), JobUpdate.NONE.state(JobState.COMPLETED))
                    .map(written -> results)
                : Future.succeededFuture(results);
          })));
    }
  }

  private static final class LooksBeforeRenewal extends ForwardingJobStore {
    LooksBeforeRenewal(JobStore real) {
      super(real);
    }

    @Override
    public Future<List<LockStatus>> extendLocks(
        List<JobLock> locks, Duration duration, Instant now) {
      if (locks.size() != 1) {
        return super.extendLocks(locks, duration, now);
      }
      return isHeld(delegate, locks.get(0)).compose(held -> later(
              () -> super.extendLocks(locks, duration, now))
          .map(statuses ->
              held && statuses.get(0) == LockStatus.LOST ? List.of(LockStatus.HELD) : statuses));
    }
  }

  private static final class ComparesBeforeUpdate extends ForwardingJobStore {
    ComparesBeforeUpdate(JobStore real) {
      super(real);
    }

    @Override
    public Future<Void> updateJob(
        String queueName, String jobId, JobUpdate updates, List<JobState> expectedStates) {
      return super.getJob(queueName, jobId)
          .map(job -> job.filter(each -> expectedStates.contains(each.state())).isPresent())
          .compose(fits -> fits
              ? later(() -> super.updateJob(queueName, jobId, updates))
              : super.updateJob(queueName, jobId, updates, expectedStates));
    }
  }

  private static final class CountsBeforePromotion extends ForwardingJobStore {
    CountsBeforePromotion(JobStore real) {
      super(real);
    }

    @Override
    public Future<Integer> promoteJobs(String queueName) {
      return super.countJobs(queueName, JobState.DELAYED)
          .compose(
              count -> later(() -> super.promoteJobs(queueName)).map(done -> (int) (long) count));
    }
  }

  private static final class LooksBeforeCancel extends ForwardingJobStore {
    LooksBeforeCancel(JobStore real) {
      super(real);
    }

    @Override
    public Future<CancelResult> cancelOpenJob(String queueName, String jobId, Instant now) {
      return super.getJob(queueName, jobId)
          .map(job -> job.filter(each -> each.state() == JobState.ACTIVE)
              .filter(each -> each.cancelledAt() == null)
              .isPresent())
          .compose(active -> later(() -> super.cancelOpenJob(queueName, jobId, now))
              .map(result -> active ? new CancelResult.Requested() : result));
    }
  }

  private static final class LooksBeforeFire extends ForwardingJobStore {
    LooksBeforeFire(JobStore real) {
      super(real);
    }

    @Override
    public Future<Optional<SavedJob>> fireSchedule(FireSchedule command) {
      return super.getSchedule(command.queueName(), command.key())
          .map(schedule ->
              schedule.filter(each -> command.dueAt().equals(each.nextAt())).isPresent())
          .compose(due -> later(() -> super.fireSchedule(command)).compose(fired -> {
            boolean isBeaten = due && fired.isEmpty();
            return isBeaten
                ? super.saveJobs(command.queueName(), List.of(command.job()), command.now())
                    .map(saved -> Optional.of(saved.get(0)))
                : Future.succeededFuture(fired);
          }));
    }
  }
}
