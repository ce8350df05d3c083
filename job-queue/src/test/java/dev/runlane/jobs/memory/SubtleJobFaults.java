package dev.runlane.jobs.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobPage;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.jobs.store.UpsertSchedule;
import io.vertx.core.Future;
import java.text.Normalizer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Job stores that misunderstand one field of one command by a little: for the model, which names no case that fails.
 */
final class SubtleJobFaults {
  private static final Duration MILLI = Duration.ofMillis(1);

  static final List<BrokenAdapter<JobStore>> ALL = List.of(
      finding("finds jobs whatever the case of their id", id -> id.toLowerCase(Locale.ROOT)),
      finding(
          "finds jobs by the composed form of their id",
          id -> Normalizer.normalize(id, Normalizer.Form.NFC)),
      finding("finds jobs without the blanks around their id", String::strip),
      saving(
          "keeps a key for a millisecond longer",
          options -> options.deduplication() == null || options.deduplication().ttl() == null
              ? options
              : options.toBuilder()
                  .deduplication(options
                      .deduplication()
                      .within(options.deduplication().ttl().plus(MILLI)))
                  .build()),
      saving(
          "replaces where it should push on",
          options -> options.deduplication() == null
                  || options.deduplication().mode() != JobDeduplication.Mode.DEBOUNCE
              ? options
              : options.toBuilder()
                  .deduplication(options.deduplication().as(JobDeduplication.Mode.REPLACE))
                  .build()),
      saving(
          "lets one more job into a group",
          options -> options.group() == null || options.group().maxSize() == null
              ? options
              : options.toBuilder()
                  .group(new JobGroup(options.group().id(), options.group().maxSize() + 1))
                  .build()),
      fetching(
          "hands out for a millisecond longer",
          command -> new FetchJobs(
              command.queueName(),
              command.workerId(),
              command.lockDuration().plus(MILLI),
              command.options(),
              command.limit(),
              command.now())),
      fetching(
          "strips names of workers",
          command -> new FetchJobs(
              command.queueName(),
              command.workerId().strip().isEmpty()
                  ? command.workerId()
                  : command.workerId().strip(),
              command.lockDuration(),
              command.options(),
              command.limit(),
              command.now())),
      choosing(
          "forgets that the last should come first",
          options -> new FetchOptions(
              false,
              options.jobName(),
              options.groupConcurrency(),
              options.excludeGroups(),
              options.rateLimit(),
              options.globalConcurrency())),
      choosing(
          "counts one active job too few of a queue",
          options -> options.globalConcurrency() == null
              ? options
              : options.withGlobalConcurrency(options.globalConcurrency() + 1)),
      choosing(
          "counts one active job too few of a group",
          options -> options.groupConcurrency() == null
              ? options
              : options.withGroupConcurrency(options.groupConcurrency() + 1)),
      choosing(
          "excludes no group where several are excluded",
          options -> options.excludeGroups().size() > 1 ? options.without(Set.of()) : options),
      ending(
          "forgets stacks of last attempts",
          end -> end.outcome() instanceof JobOutcome.Failed failed
              ? as(end, new JobOutcome.Failed(failed.reason(), null))
              : end),
      ending(
          "tries again a millisecond later",
          end -> end.outcome() instanceof JobOutcome.Retry retry
              ? as(
                  end,
                  new JobOutcome.Retry(retry.at().plus(MILLI), retry.reason(), retry.stacktrace()))
              : end),
      ending(
          "takes a lock that runs out now for one that has run out",
          end -> end.outcome() instanceof JobOutcome.Stalled
              ? new FinishJob(end.lock(), end.outcome(), end.next(), end.now().plus(MILLI))
              : end),
      ending("ends a series", end -> new FinishJob(end.lock(), end.outcome(), null, end.now())),
      ending(
          "uses an attempt for a snooze",
          end -> end.outcome() instanceof JobOutcome.Snooze snooze
              ? as(end, new JobOutcome.Retry(snooze.at(), "snoozed", null))
              : end),
      that("extends locks by a millisecond too much", real -> new ForwardingJobStore(real) {
        @Override
        public Future<List<LockStatus>> extendLocks(
            List<JobLock> locks, Duration duration, Instant now) {
          return real.extendLocks(locks, duration.plus(MILLI), now);
        }
      }),
      counting(
          "counts failed jobs but those that were made with the end of a range",
          filter -> filter.createdBefore() == null
              ? filter
              : new FailedJobsFilter(
                  filter.name(),
                  filter.groupId(),
                  filter.createdAfter(),
                  filter.createdBefore().minus(MILLI),
                  filter.withCancelled())),
      counting(
          "counts failed jobs of any group",
          filter -> new FailedJobsFilter(
              filter.name(),
              null,
              filter.createdAfter(),
              filter.createdBefore(),
              filter.withCancelled())),
      counting("counts failed jobs that were cancelled too", FailedJobsFilter::withCancelledOnes),
      that("counts one active job too many", real -> new ForwardingJobStore(real) {
        @Override
        public Future<Long> getActiveCount(String queueName) {
          return real.getActiveCount(queueName).map(count -> count == 0 ? count : count + 1);
        }
      }),
      that("does not promote what is due now", real -> new ForwardingJobStore(real) {
        @Override
        public Future<Integer> promoteDelayedJobs(String queueName, Instant timestamp) {
          return real.promoteDelayedJobs(queueName, timestamp.minus(MILLI));
        }
      }),
      that("takes jobs for stalled whose lock runs out now", real -> new ForwardingJobStore(real) {
        @Override
        public Future<List<JobData>> getStalledJobs(String queueName, Instant now, int limit) {
          return real.getStalledJobs(queueName, now.plus(MILLI), limit);
        }
      }),
      that("removes one expired job more than it may", real -> new ForwardingJobStore(real) {
        @Override
        public Future<Integer> removeExpiredJobs(String queueName, Instant now, int limit) {
          return real.removeExpiredJobs(queueName, now, limit == 10_000 ? limit : limit + 1);
        }
      }),
      that("cleans what ended just as long ago", real -> new ForwardingJobStore(real) {
        @Override
        public Future<Integer> clean(
            String queueName, JobState state, Duration grace, Instant now) {
          return real.clean(queueName, state, grace, now.plus(MILLI));
        }
      }),
      that("resumes all names with one", real -> new ForwardingJobStore(real) {
        @Override
        public Future<Void> resumeJobName(String queueName, String jobName) {
          return real.resumeJobName(queueName, jobName)
              .compose(done -> real.resumeJobName(queueName, JobStore.ALL));
        }
      }),
      that("deletes a queue that is at work", real -> new ForwardingJobStore(real) {
        @Override
        public Future<List<JobChange>> obliterate(String queueName, Obliterate how, Instant now) {
          return real.obliterate(queueName, Obliterate.FORCED, now);
        }
      }),
      that("fails parents that should go", real -> new ForwardingJobStore(real) {
        @Override
        public Future<List<String>> saveFlow(List<FlowNode> jobs, Instant now) {
          return real.saveFlow(jobs.stream().map(SubtleJobFaults::withoutPolicy).toList(), now);
        }
      }),
      that("stores flows from the end", real -> new ForwardingJobStore(real) {
        @Override
        public Future<List<String>> saveFlow(List<FlowNode> jobs, Instant now) {
          List<FlowNode> reversed = new ArrayList<>(jobs);
          Collections.reverse(reversed);
          return real.saveFlow(reversed, now);
        }
      }),
      that("counts a child twice", real -> new ForwardingJobStore(real) {
        @Override
        public Future<JobState> notifyChildCompleted(
            String parentQueueName, String parentId, Instant now) {
          return real.notifyChildCompleted(parentQueueName, parentId, now)
              .compose(state ->
                  real.notifyChildCompleted(parentQueueName, parentId, now).map(state));
        }
      }),
      that("makes a schedule anew that stays the same", real -> new ForwardingJobStore(real) {
        @Override
        public Future<JobSchedule> upsertSchedule(UpsertSchedule command) {
          return real.removeSchedule(command.queueName(), command.key())
              .compose(gone -> real.upsertSchedule(command));
        }
      }),
      that("takes most states for every state", real -> new ForwardingJobStore(real) {
        @Override
        public Future<Void> updateJob(
            String queueName, String jobId, JobUpdate updates, List<JobState> expectedStates) {
          return expectedStates.size() > 4
              ? real.updateJob(queueName, jobId, updates)
              : real.updateJob(queueName, jobId, updates, expectedStates);
        }
      }),
      that("searches names by their case", real -> new ForwardingJobStore(real) {
        @Override
        public Future<List<JobData>> searchByName(
            String query, Optional<String> queueName, int limit) {
          return real.searchByName(query, queueName, limit)
              .map(jobs ->
                  jobs.stream().filter(job -> job.name().contains(query)).toList());
        }
      }),
      that("counts the page, not what was found", real -> new ForwardingJobStore(real) {
        @Override
        public Future<JobPage> searchJobs(SearchJobsFilter filter, int start, int end) {
          return real.searchJobs(filter, start, end)
              .map(page -> new JobPage(page.jobs(), page.jobs().size()));
        }
      }),
      that("leaves the first minute out", real -> new ForwardingJobStore(real) {
        @Override
        public Future<List<MetricsBucket>> getMetrics(MetricsQuery query) {
          return real.getMetrics(new MetricsQuery(
              query.queueName(),
              query.granularity(),
              query.from().plus(1, ChronoUnit.MINUTES),
              query.to()));
        }
      }),
      that("leaves out the last line asked for", real -> new ForwardingJobStore(real) {
        @Override
        public Future<List<String>> getLogs(String queueName, String jobId, int start, int end) {
          return real.getLogs(queueName, jobId, start, Math.max(start, end - 1));
        }
      }));

  private SubtleJobFaults() {}

  private static BrokenAdapter<JobStore> counting(
      String sentence, UnaryOperator<FailedJobsFilter> change) {
    return that(sentence, real -> new ForwardingJobStore(real) {
      @Override
      public Future<Long> countJobs(String queueName, FailedJobsFilter filter) {
        return real.countJobs(queueName, change.apply(filter));
      }
    });
  }

  private static BrokenAdapter<JobStore> finding(String sentence, UnaryOperator<String> altering) {
    return that(sentence, real -> new ForwardingJobStore(real) {
      @Override
      public Future<Optional<JobData>> getJob(String queueName, String jobId) {
        String altered = altering.apply(jobId);
        return real.getJob(queueName, altered.isEmpty() ? jobId : altered);
      }
    });
  }

  private static BrokenAdapter<JobStore> saving(
      String sentence, UnaryOperator<JobOptions> altering) {
    return that(sentence, real -> new ForwardingJobStore(real) {
      @Override
      public Future<List<SavedJob>> saveJobs(String queueName, List<NewJob> jobs, Instant now) {
        return real.saveJobs(
            queueName,
            jobs.stream()
                .map(job ->
                    job.toBuilder().options(altering.apply(job.options())).build())
                .toList(),
            now);
      }
    });
  }

  private static BrokenAdapter<JobStore> fetching(
      String sentence, UnaryOperator<FetchJobs> altering) {
    return that(sentence, real -> new ForwardingJobStore(real) {
      @Override
      public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
        return real.fetchNextJobs(altering.apply(command));
      }
    });
  }

  private static BrokenAdapter<JobStore> choosing(
      String sentence, UnaryOperator<FetchOptions> altering) {
    return fetching(sentence, command -> command.with(altering.apply(command.options())));
  }

  private static BrokenAdapter<JobStore> ending(
      String sentence, UnaryOperator<FinishJob> altering) {
    return that(sentence, real -> new ForwardingJobStore(real) {
      @Override
      public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
        return real.finishJobs(commands.stream().map(altering).toList());
      }
    });
  }

  private static FinishJob as(FinishJob end, JobOutcome outcome) {
    return new FinishJob(end.lock(), outcome, end.next(), end.now());
  }

  private static FlowNode withoutPolicy(FlowNode node) {
    JobOptions options =
        node.job().options().toBuilder().failParentOnChildFailure(null).build();
    return new FlowNode(
        node.queueName(), node.job().toBuilder().options(options).build());
  }
}
