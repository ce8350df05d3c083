package dev.runlane.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.queue.FlowJob;
import dev.runlane.jobs.queue.JobTesting;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.timing.ManualTime;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
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
