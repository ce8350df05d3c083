package dev.runlane.testing;

import static dev.runlane.testing.RunlaneAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskHandler;
import dev.runlane.runtime.task.TaskResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Schedules whose runs last longer than their interval: there is never an instant at which none is open. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LongSchedulesTest {
  private static final Duration LONG = Duration.ofHours(5);
  private static final Instant END_OF_THE_FIRST = Instant.parse("2026-01-01T18:00:00Z");

  private final RunlaneTesting testing = RunlaneTesting.create();

  private static Task<Void> hourly(TaskHandler<Void> handler) {
    return Task.define("hourly", Void.class)
        .schedule(Schedule.cron("hours", "0 * * * *"))
        .handler(handler);
  }

  private final Task<String> child = Task.define("child", String.class)
      .handler((payload, context) -> context.sleep(LONG).map(TaskResult.done()));

  private void runUntilIdle() {
    assertTimeoutPreemptively(Duration.ofSeconds(60), testing::runUntilIdle);
  }

  @Test
  void runs_of_fires_that_come_meanwhile_are_not_waited_for() {
    Task<Void> hourly = hourly((none, context) -> context.sleep(LONG).map(TaskResult.done()));
    testing.deploy(hourly).advance(Duration.ofHours(1));

    runUntilIdle();

    List<TestRun> runs = testing.runs(hourly);
    assertThat(runs.get(0)).succeeded().endedAt(END_OF_THE_FIRST);
    assertThat(runs.get(1)).isWaiting();
    assertThat(testing.now()).isBefore(END_OF_THE_FIRST.plus(Duration.ofMinutes(30)));
  }

  @Test
  void a_later_call_waits_for_those_that_are_there_when_it_begins() {
    Task<Void> hourly = hourly((none, context) -> context.sleep(LONG).map(TaskResult.done()));
    testing.deploy(hourly).advance(Duration.ofHours(1));
    runUntilIdle();

    runUntilIdle();

    assertThat(testing.runs(hourly).get(4)).succeeded();
    assertThat(testing.runs(hourly).get(7)).isWaiting();
  }

  @Test
  void neither_are_timers_of_their_handlers() {
    Task<Void> hourly =
        hourly((none, context) -> testing.timers().after(LONG).map(TaskResult.done()));
    testing.deploy(hourly).advance(Duration.ofHours(1));

    runUntilIdle();

    List<TestRun> runs = testing.runs(hourly);
    assertThat(runs.get(0)).succeeded().endedAt(END_OF_THE_FIRST);
    assertThat(runs.get(1)).isRunning();
  }

  @Test
  void neither_is_what_their_handlers_trigger() {
    Task<Void> hourly =
        hourly((none, context) -> context.trigger(child, "hour").map(TaskResult.done()));
    testing.deploy(hourly, child).advance(Duration.ofHours(1));

    runUntilIdle();

    assertThat(testing.runs(child).get(0)).succeeded().endedAt(END_OF_THE_FIRST);
    assertThat(testing.runs(child).get(1)).isWaiting();
  }

  @Test
  void a_run_that_is_triggered_beside_them_is_waited_for() {
    Task<Void> hourly = hourly((none, context) -> context.sleep(LONG).map(TaskResult.done()));
    TestRun run = testing.deploy(hourly, child).trigger(child, "test");

    runUntilIdle();

    assertThat(run).succeeded().endedAt(Instant.parse("2026-01-01T17:00:00Z"));
  }

  @Test
  void timers_of_jobs_that_repeat_keep_nobody_waiting() {
    JobQueue mails = testing.jobs().jobs().queue("mail");
    testing
        .jobs()
        .jobs()
        .worker(
            "mail",
            JobProcessor.of(
                (job, signal) -> testing.timers().after(LONG).map(JobResult.done("late"))),
            new JobWorkerOptions().setConcurrency(10));
    testing.result(
        mails.upsertSchedule("hours", JobRepeat.cron("0 * * * *"), "hourly", 1, JobOptions.NONE));
    testing.advance(Duration.ofHours(1));
    Job one = testing.result(mails.add("once", 1));

    runUntilIdle();

    assertThat(one).succeeded().hasResult("late");
  }
}
