package dev.runlane.jobs.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Job stores that work in parts, and do so wrongly: with few jobs none of it is seen. */
final class BrokenJobAmounts {
  private static final int PART = 1_000;
  private static final String ADDED_AND_ENDED =
      "Amounts.jobs_are_added_handed_out_and_ended_in_one_call_each_and_answer_i_belongs_to_job_i";
  private static final String LIMITED =
      "Amounts.a_limit_holds_over_all_parts_and_the_next_call_does_the_rest";

  static final List<BrokenAdapter<JobStore>> ALL = List.of(
      that(
          "answers the last part of added jobs first",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<SavedJob>> saveJobs(
                String queueName, List<NewJob> jobs, Instant now) {
              return jobs.size() <= PART
                  ? real.saveJobs(queueName, jobs, now)
                  : real.saveJobs(queueName, jobs.subList(0, PART), now)
                      .compose(
                          first -> real.saveJobs(queueName, jobs.subList(PART, jobs.size()), now)
                              .map(last -> joined(last, first)));
            }
          },
          ADDED_AND_ENDED),
      that(
          "hands out one part of what is asked for",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
              return real.fetchNextJobs(command.upTo(Math.min(PART, command.limit())));
            }
          },
          ADDED_AND_ENDED),
      that(
          "extends the locks of the first part",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<LockStatus>> extendLocks(
                List<JobLock> locks, Duration duration, Instant now) {
              int part = Math.min(PART, locks.size());
              return real.extendLocks(locks.subList(0, part), duration, now)
                  .map(first ->
                      joined(first, Collections.nCopies(locks.size() - part, LockStatus.LOST)));
            }
          },
          ADDED_AND_ENDED),
      that(
          "fails where more hand-outs end than a part has",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
              return commands.size() > PART
                  ? Future.failedFuture(
                      RunlaneException.validationFailed("%d hand-outs", commands.size()))
                  : real.finishJobs(commands);
            }
          },
          ADDED_AND_ENDED),
      that(
          "promotes the first part of what is due",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> promoteDelayedJobs(String queueName, Instant timestamp) {
              return firstPart(real, queueName, JobState.DELAYED, job -> putBack(real, job));
            }
          },
          "Amounts.all_delayed_jobs_are_promoted_that_are_due_at_one_instant"),
      that(
          "promotes the first part of what is delayed",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> promoteJobs(String queueName) {
              return firstPart(real, queueName, JobState.DELAYED, job -> putBack(real, job));
            }
          },
          "Amounts.all_delayed_jobs_are_promoted_whenever_they_are_due"),
      that(
          "puts back the first part of what completed",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> retryJobs(String queueName, JobState state) {
              return firstPart(real, queueName, state, job -> putBack(real, job));
            }
          },
          "Amounts.all_jobs_that_ended_at_one_instant_are_put_back"),
      that(
          "puts back the first part of what failed",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> retryJobs(String queueName, FailedJobsFilter filter) {
              return firstPart(real, queueName, JobState.FAILED, job -> putBack(real, job));
            }
          },
          "Amounts.all_jobs_are_counted_and_put_back_that_failed_at_one_instant_and_fit"),
      that(
          "counts the first part of what failed",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Long> countJobs(String queueName, FailedJobsFilter filter) {
              return real.countJobs(queueName, filter).map(count -> Math.min(count, PART));
            }
          },
          "Amounts.all_jobs_are_counted_and_put_back_that_failed_at_one_instant_and_fit"),
      that(
          "cleans the first part",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> clean(
                String queueName, JobState state, Duration grace, Instant now) {
              return firstPart(
                  real, queueName, state, job -> real.removeJob(queueName, job.id(), now));
            }
          },
          "Amounts.all_jobs_are_cleaned_that_ended_at_one_instant"),
      that(
          "drains the first part",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobChange>> drain(String queueName, Instant now) {
              return firstPart(
                      real,
                      queueName,
                      JobState.WAITING,
                      job -> real.removeJob(queueName, job.id(), now))
                  .map(List.of());
            }
          },
          "Amounts.all_drained_jobs_are_gone_and_count_for_a_parent_elsewhere"),
      that(
          "obliterates the first part",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobChange>> obliterate(
                String queueName, Obliterate how, Instant now) {
              return firstPart(
                      real,
                      queueName,
                      JobState.WAITING,
                      job -> real.removeJob(queueName, job.id(), now))
                  .map(List.of());
            }
          },
          "Amounts.all_obliterated_jobs_are_gone_and_count_for_a_parent_elsewhere"),
      that(
          "removes expired jobs until a part is not full, whatever the limit",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> removeExpiredJobs(String queueName, Instant now, int limit) {
              return limit <= PART
                  ? real.removeExpiredJobs(queueName, now, limit)
                  : untilNotFull(() -> real.removeExpiredJobs(queueName, now, PART));
            }
          },
          LIMITED),
      that(
          "puts dead letters back until a part is not full, whatever the limit",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobRef>> redriveDeadLetters(
                String queueName, int limit, Instant now) {
              return real.redriveDeadLetters(queueName, Math.min(PART, limit), now)
                  .compose(first -> first.size() < PART
                      ? Future.succeededFuture(first)
                      : real.redriveDeadLetters(queueName, PART, now)
                          .map(second -> joined(first, second)));
            }
          },
          LIMITED));

  private BrokenJobAmounts() {}

  private static <T> Future<Integer> firstPart(
      JobStore real, String queue, JobState state, Function<JobData, Future<T>> change) {
    return real.listJobs(queue, state, 0, PART)
        .compose(jobs -> Future.join(jobs.stream().map(change).toList()).map(jobs.size()));
  }

  private static Future<Void> putBack(JobStore real, JobData job) {
    return real.updateJob(job.queueName(), job.id(), JobUpdate.NONE.state(JobState.WAITING));
  }

  private static Future<Integer> untilNotFull(Supplier<Future<Integer>> next) {
    return next.get()
        .compose(count -> count < PART
            ? Future.succeededFuture(count)
            : untilNotFull(next).map(rest -> count + rest));
  }

  private static <T> List<T> joined(List<T> before, List<T> after) {
    List<T> all = new ArrayList<>(before);
    all.addAll(after);
    return all;
  }
}
