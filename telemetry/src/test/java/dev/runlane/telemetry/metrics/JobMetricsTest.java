package dev.runlane.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.FlowJob;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.JobTesting;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.ManualTime;
import dev.runlane.timing.Randomness;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What is measured of jobs in virtual time. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobMetricsTest {
  private final ManualTime time = ManualTime.at(Instant.parse("2026-01-01T12:00:00Z"));
  private final JobTesting testing = JobTesting.on(time, new JobsOptions());
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final JobMetrics metrics =
      JobMetrics.create(registry, new RunlaneMetricsOptions(), time.clock());

  /** Work takes as many minutes as a job's data says. */
  private void work() {
    metrics.observe(testing.jobs().worker("mail", (job, signal) -> time.timers()
        .after(Duration.ofMinutes(Long.parseLong(job.data().text())))
        .map(worked -> JobResult.done())));
  }

  private Timer waitOf(String job) {
    return registry.get(MetricNames.JOB_WAIT).tag(MetricNames.JOB, job).timer();
  }

  private double started(String job) {
    return registry
        .get(MetricNames.JOB_ATTEMPTS_STARTED)
        .tag(MetricNames.JOB, job)
        .counter()
        .count();
  }

  @Test
  void a_delayed_job_does_not_wait_before_it_is_due() {
    work();
    testing
        .jobs()
        .queue("mail")
        .add("later", 0, JobOptions.builder().delay(Duration.ofHours(3)).build());

    testing.runUntilIdle();

    assertThat(waitOf("later").count()).isEqualTo(1);
    assertThat(waitOf("later").max(TimeUnit.MINUTES)).isLessThan(1);
  }

  @Test
  void an_end_of_a_job_that_the_store_refuses_is_shown_until_it_is_stored() {
    Set<String> broken = new HashSet<>(Set.of("the store"));
    JobStore refusing = new ForwardingJobStore(new MemoryJobStore()) {
      @Override
      public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
        return broken.isEmpty() ? super.finishJobs(commands) : Future.failedFuture(refusal());
      }

      @Override
      public Future<FinishedAndFetched> finishAndFetch(FinishAndFetch command) {
        return broken.isEmpty() ? super.finishAndFetch(command) : Future.failedFuture(refusal());
      }
    };
    Jobs jobs = new Jobs(
        new JobsHost.SingleThread(time),
        refusing,
        time.clock(),
        Randomness.seeded(1),
        JsonCodec.standard(),
        new JobsOptions(),
        List.of(),
        Optional.empty());
    metrics.observe(jobs.worker("mail", (job, signal) -> Future.succeededFuture(JobResult.done())));
    jobs.queue("mail").add("later", 0);

    time.advance(Duration.ofSeconds(15));
    assertThat(registry.get(MetricNames.JOB_OUTCOMES_WAITING).gauge().value()).isEqualTo(1);
    broken.clear();
    time.advance(Duration.ofSeconds(15));
    assertThat(registry.get(MetricNames.JOB_OUTCOMES_WAITING).gauge().value()).isZero();
  }

  private static RunlaneException refusal() {
    return RunlaneException.of(ErrorCode.INTERNAL_ERROR, "SQLSTATE P0001");
  }

  @Test
  void a_job_that_is_due_before_its_worker_is_there_waits_for_that() {
    testing
        .jobs()
        .queue("mail")
        .add("later", 0, JobOptions.builder().delay(Duration.ofHours(3)).build());
    testing.advance(Duration.ofHours(5));

    work();
    testing.runUntilIdle();

    assertThat(waitOf("later").max(TimeUnit.MINUTES)).isBetween(119.0, 121.0);
  }

  @Test
  void a_job_that_was_promoted_has_no_wait_that_is_known() {
    work();
    JobQueue queue = testing.jobs().queue("mail");
    queue.add("later", 0, JobOptions.builder().delay(Duration.ofHours(3)).build());
    queue.promoteJobs();

    testing.runUntilIdle();

    assertThat(started("later")).isEqualTo(1);
    assertThat(registry.find(MetricNames.JOB_WAIT).tag(MetricNames.JOB, "later").timer())
        .isNull();
  }

  @Test
  void neither_the_pauses_of_a_series_nor_the_work_of_children_is_a_wait() {
    work();
    testing
        .jobs()
        .queue("mail")
        .add(
            "digest",
            0,
            JobOptions.builder().repeat(JobRepeat.every(Duration.ofHours(1))).build());
    testing
        .jobs()
        .flows()
        .add(FlowJob.of("parent", "mail", 0).after(FlowJob.of("child", "mail", 90)));

    testing.advance(Duration.ofHours(4));

    assertThat(started("digest")).isGreaterThan(2);
    assertThat(started("parent")).isEqualTo(1);
    assertThat(registry.get(MetricNames.JOB_WAIT).timers())
        .extracting(timer -> timer.getId().getTag(MetricNames.JOB))
        .containsExactly("child");
    assertThat(waitOf("child").count()).isEqualTo(1);
  }
}
