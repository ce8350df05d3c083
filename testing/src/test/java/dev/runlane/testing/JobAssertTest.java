package dev.runlane.testing;

import static dev.runlane.testing.RunlaneAssertions.assertThat;
import static dev.runlane.testing.RunlaneAssertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class JobAssertTest {
  private static final JobOptions THRICE = JobOptions.builder()
      .attempts(3)
      .backoff(JobBackoff.fixed(Duration.ofHours(5)))
      .build();

  private final RunlaneTesting testing = RunlaneTesting.create();
  private final JobQueue queue = testing.jobs().jobs().queue("mail");

  private Job sent() {
    testing
        .jobs()
        .jobs()
        .worker(
            "mail",
            (job, signal) -> job.startedAttempts() < 3
                ? Future.failedFuture(new IllegalStateException("no"))
                : Future.succeededFuture(JobResult.done("sent")));
    Job job = testing.jobs().result(queue.add("welcome", 1, THRICE));
    testing.advance(Duration.ofDays(1));
    return job;
  }

  static Stream<Consumer<JobAssert>> untrue() {
    return Stream.of(
        JobAssert::failed,
        JobAssert::cancelled,
        JobAssert::isWaiting,
        JobAssert::isRunning,
        job -> job.hasFailureContaining("x"),
        job -> job.afterAttempts(1),
        job -> job.hasResult(null),
        job -> job.hasResult("lost"));
  }

  @ParameterizedTest
  @MethodSource
  void untrue(Consumer<JobAssert> assertion) {
    Job job = sent();

    assertThatThrownBy(() -> assertion.accept(assertThat(job)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(job.id())
        .hasMessageContaining("attempt 3 from 2026-01-01T22:00:00Z");
  }

  @Test
  void what_holds_passes() {
    assertThat(sent()).succeeded().afterAttempts(3).hasResult("sent");
  }

  @Test
  void a_job_that_nobody_works_on_waits_until_it_is_cancelled() {
    Job job = testing.jobs().result(queue.add("welcome", 1));
    assertThat(job).isWaiting().afterAttempts(0);

    testing.jobs().result(job.cancel());

    assertThat(job).cancelled();
    assertThatThrownBy(() -> assertThat(job).failed()).isInstanceOf(AssertionError.class);
  }

  @Test
  void a_job_that_fails_tells_why() {
    testing
        .jobs()
        .jobs()
        .worker("mail", (job, signal) -> Future.failedFuture(new IllegalStateException("no")));
    Job job = testing.jobs().result(queue.add("welcome", 1));

    testing.runDue();

    assertThat(job).failed().hasFailureContaining("no");
  }

  @Test
  void runs_and_jobs_share_their_time() {
    Task<String> task = Task.define("invite", String.class).handler((payload, context) -> context
        .sleep(Duration.ofHours(1))
        .compose(slept -> queue.add("welcome", payload))
        .map(added -> TaskResult.done(added.id())));
    testing
        .jobs()
        .jobs()
        .worker(
            "mail",
            (job, signal) -> Future.succeededFuture(JobResult.done(testing.now().toString())));
    TestRun run = testing.deploy(task).trigger(task, "a");

    testing.advance(Duration.ofHours(2));

    assertThat(run).succeeded();
    Job job = testing.jobs().result(queue.getJob(run.output(String.class))).orElseThrow();
    assertThat(job.returnvalue().orElseThrow().text()).startsWith("\"2026-01-01T13:00:00");
  }

  private record Person(String firstName) {}

  @Test
  void jobs_are_read_and_written_as_runs_are() {
    RunlaneTesting own = RunlaneTesting.create()
        .settings(builder -> builder.objectMapper(JsonCodec.standardMapper()
            .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)));

    Job job = own.result(own.jobs().jobs().queue("mail").add("welcome", new Person("Ada")));

    assertThat(job.data().text()).isEqualTo("{\"first_name\":\"Ada\"}");
  }

  @Test
  void a_result_is_compared_as_the_jobs_write_it() {
    RunlaneTesting own = RunlaneTesting.create()
        .settings(builder -> builder.objectMapper(JsonCodec.standardMapper()
            .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)));
    own.jobs()
        .jobs()
        .worker("mail", (job, signal) -> Future.succeededFuture(JobResult.done(new Person("Ada"))));
    Job job = own.result(own.jobs().jobs().queue("mail").add("welcome", 1));

    own.runDue();

    assertThat(job).hasResult(new Person("Ada"));
    assertThatThrownBy(() -> assertThat(job).hasResult(new Person("Grace")))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void a_job_that_waits_for_a_timer_outlives_the_process_of_the_runs() {
    List<String> ended = new ArrayList<>();
    Task<String> task = Task.define("invite", String.class).handler((payload, context) -> testing
        .timers()
        .after(Duration.ofHours(1))
        .onSuccess(over -> ended.add(payload))
        .map(TaskResult.done()));
    testing.jobs().jobs().worker("mail", (job, signal) -> testing
        .timers()
        .after(Duration.ofHours(1))
        .compose(one -> testing.timers().after(Duration.ofHours(2)))
        .map(JobResult.done("late")));
    testing.deploy(task).trigger(task, "a");
    Job job = testing.result(queue.add("welcome", 1));
    testing.runDue();

    testing.kill();
    testing.runUntilIdle();

    assertThat(job).succeeded().hasResult("late");
    assertThat(ended).isEmpty();
  }

  @Test
  void jobs_are_made_with_settings_of_their_own_before_they_are_used() {
    RunlaneTesting own = RunlaneTesting.create()
        .jobSettings(builder -> builder.options(new JobsOptions().setMaxPayloadBytes(1_000)));
    JobQueue mails = own.jobs().jobs().queue("mail");

    assertThatThrownBy(() -> own.result(mails.add("welcome", "a".repeat(1_000))))
        .isInstanceOf(RunlaneException.class);
    assertThatThrownBy(() -> own.jobSettings(builder -> {}))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void jobs_are_waited_for_as_runs_are() {
    testing.jobs().jobs().worker("mail", (job, signal) -> testing
        .timers()
        .after(Duration.ofHours(3))
        .map(JobResult.done("late")));
    Job job = testing.jobs().result(queue.schedule("2 days", "welcome", 1, JobOptions.NONE));

    testing.runUntilIdle();

    assertThat(job).succeeded().hasResult("late");
    assertThat(testing.now()).isEqualTo("2026-01-03T15:00:00Z");
  }
}
