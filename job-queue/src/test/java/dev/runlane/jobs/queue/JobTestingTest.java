package dev.runlane.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignal;
import dev.runlane.jobs.queue.observe.JobsObserver;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Jobs in virtual time. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobTestingTest {
  private final JobTesting testing = JobTesting.create();
  private final JobQueue queue = testing.jobs().queue("mail");
  private final List<String> ran = new ArrayList<>();

  private Future<JobResult> note(Job job, JobSignal signal) {
    ran.add(job.name() + " at " + testing.now());
    return Future.succeededFuture(JobResult.done());
  }

  private Job fresh(Job job) {
    return testing.result(job.refresh()).orElseThrow();
  }

  @Test
  void nothing_runs_until_it_is_asked_for() {
    testing.jobs().worker("mail", this::note);
    Job job = testing.result(queue.add("x", 1));
    assertThat(ran).isEmpty();

    testing.runDue();

    assertThat(ran).containsExactly("x at 2026-01-01T12:00:00Z");
    assertThat(fresh(job).state()).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void a_delayed_job_runs_at_its_due_time() {
    testing.jobs().worker("mail", this::note);
    queue.schedule("3 hours", "x", 1, JobOptions.NONE);
    testing.advance(Duration.ofHours(3).minusMillis(1));
    assertThat(ran).isEmpty();

    testing.advance(Duration.ofMillis(1));

    assertThat(ran).containsExactly("x at 2026-01-01T15:00:00Z");
  }

  @Test
  void retries_of_hours_take_no_time() {
    testing.jobs().worker("mail", (job, signal) -> {
      note(job, signal);
      return Future.failedFuture(new IllegalStateException("no"));
    });
    JobOptions options = JobOptions.builder()
        .attempts(3)
        .backoff(JobBackoff.fixed(Duration.ofHours(5)))
        .build();
    Job job = testing.result(queue.add("x", 1, options));

    testing.advance(Duration.ofDays(1));

    assertThat(ran)
        .containsExactly(
            "x at 2026-01-01T12:00:00Z", "x at 2026-01-01T17:00:00Z", "x at 2026-01-01T22:00:00Z");
    assertThat(fresh(job).state()).isEqualTo(JobState.FAILED);
  }

  @Test
  void cron_waits_for_its_first_match_and_follows_its_zone() {
    testing.jobs().worker("mail", this::note);
    JobRepeat nine = JobRepeat.cron("0 9 * * *", ZoneId.of("Europe/Berlin"));
    queue.add("x", 1, JobOptions.builder().repeat(nine).build());

    testing.advance(Duration.ofDays(2));

    assertThat(ran).containsExactly("x at 2026-01-02T08:00:00Z", "x at 2026-01-03T08:00:00Z");
  }

  @Test
  void an_interval_counts_from_the_end_of_the_last_run() {
    testing.jobs().worker("mail", this::note);
    queue.every("1 hour", "x", 1, JobOptions.NONE);

    testing.advance(Duration.ofHours(2));

    assertThat(ran)
        .containsExactly(
            "x at 2026-01-01T12:00:00Z", "x at 2026-01-01T13:00:00Z", "x at 2026-01-01T14:00:00Z");
  }

  @Test
  void a_schedule_said_again_after_half_its_interval_still_fires_in_time() {
    testing.jobs().worker("mail", this::note);
    JobRepeat hourly = JobRepeat.every(Duration.ofHours(1));
    queue.upsertSchedule("hourly", hourly, "x", 1, JobOptions.NONE);
    testing.advance(Duration.ofMinutes(30));

    queue.upsertSchedule("hourly", hourly, "x", 1, JobOptions.NONE);
    testing.advance(Duration.ofMinutes(30));

    assertThat(ran).containsExactly("x at 2026-01-01T13:00:00Z");
  }

  @Test
  void fires_without_a_worker_collapse_into_one() {
    queue.upsertSchedule("hourly", JobRepeat.every(Duration.ofHours(1)), "x", 1, JobOptions.NONE);
    testing.advance(Duration.ofHours(7).plusMinutes(30));

    testing.jobs().worker("mail", this::note);
    testing.advance(Duration.ofHours(1));

    assertThat(ran).hasSize(2).endsWith("x at 2026-01-01T20:00:00Z");
  }

  @Test
  void a_timed_out_handler_has_the_grace_and_no_more() {
    testing.jobs().worker("mail", (job, signal) -> Promise.<JobResult>promise().future());
    JobOptions options = JobOptions.builder().timeout(Duration.ofMinutes(1)).build();
    Job job = testing.result(queue.add("x", 1, options));
    testing.advance(Duration.ofSeconds(64));
    assertThat(fresh(job).state()).isEqualTo(JobState.ACTIVE);

    testing.advance(Duration.ofSeconds(1));

    assertThat(fresh(job).failedReason()).contains("Job timed out after 60000ms");
  }

  @Test
  void the_lock_of_a_handler_that_runs_for_days_never_runs_out() {
    Promise<JobResult> handler = Promise.promise();
    testing.jobs().worker("mail", (job, signal) -> handler.future());
    Job job = testing.result(queue.add("x", 1));

    testing.advance(Duration.ofDays(2));
    handler.complete(JobResult.done());
    testing.runDue();

    assertThat(fresh(job).state()).isEqualTo(JobState.COMPLETED);
    assertThat(fresh(job).startedAttempts()).isEqualTo(1);
  }

  @Test
  void a_debounced_job_runs_once_with_the_last_payload() {
    testing.jobs().worker("mail", (job, signal) -> {
      ran.add(job.data().text());
      return note(job, signal);
    });
    JobOptions options = JobOptions.builder()
        .delay(Duration.ofSeconds(10))
        .deduplication(JobDeduplication.byKey("k").as(JobDeduplication.Mode.DEBOUNCE))
        .build();
    for (int number = 1; number <= 3; number++) {
      queue.add("x", number, options);
      testing.advance(Duration.ofSeconds(6));
    }

    testing.advance(Duration.ofSeconds(10));

    assertThat(ran).containsExactly("3", "x at 2026-01-01T12:00:22Z");
  }

  @Test
  void waiting_for_a_job_ends_with_it() {
    testing
        .jobs()
        .worker("mail", (job, signal) -> Future.succeededFuture(JobResult.done(job.data())));
    Job job = testing.result(queue.add("x", "value"));
    Future<String> end =
        job.waitUntilFinished().map(value -> value.orElseThrow().text());
    assertThatThrownBy(() -> testing.result(end)).isInstanceOf(IllegalStateException.class);

    testing.runDue();

    assertThat(testing.result(end)).isEqualTo("\"value\"");
  }

  @Test
  void a_failed_future_is_thrown() {
    assertThatThrownBy(() ->
            testing.result(queue.add("x", 1, JobOptions.builder().attempts(0).build())))
        .isInstanceOf(RunlaneException.class);
  }

  @Test
  void jobs_that_add_jobs_for_ever_are_noticed() {
    testing
        .jobs()
        .worker("mail", (job, signal) -> queue.add("again", 1).map(added -> JobResult.done()));
    queue.add("x", 1);

    assertThatThrownBy(testing::runDue)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("come to rest");
  }

  @Test
  void a_test_may_begin_whenever_it_likes() {
    JobTesting later = JobTesting.at(Instant.parse("2030-02-03T00:00:00Z"));

    later.advance(Duration.ofDays(1));

    assertThat(later.now()).isEqualTo(Instant.parse("2030-02-04T00:00:00Z"));
  }

  @Test
  void a_test_may_say_all_that_an_application_says_of_its_jobs() {
    JobTesting own = JobTesting.at(Instant.parse("2030-02-03T00:00:00Z"), builder -> builder
        .objectMapper(JsonCodec.standardMapper()
            .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE))
        .options(new JobsOptions().setMaxPayloadBytes(1_000))
        .observer(new JobsObserver() {
          @Override
          public @Nullable Map<String, String> jobAdded(
              String queueName, String jobName, @Nullable Map<String, String> carrier) {
            ran.add(jobName + " is added to " + queueName);
            return carrier;
          }
        }));
    JobQueue mails = own.jobs().queue("mail");

    Job job = own.result(mails.add("welcome", new Person("Ada")));

    assertThat(job.data().text()).isEqualTo("{\"first_name\":\"Ada\"}");
    assertThat(ran).containsExactly("welcome is added to mail");
    assertThatThrownBy(() -> own.result(mails.add("welcome", new Person("a".repeat(1_000)))))
        .isInstanceOf(RunlaneException.class);
  }

  private record Person(String firstName) {}

  @Test
  void time_passes_until_every_job_has_ended() {
    testing.jobs().worker("mail", (job, signal) -> {
      note(job, signal);
      return job.startedAttempts() < 3
          ? Future.failedFuture(new IllegalStateException("no"))
          : Future.succeededFuture(JobResult.done());
    });
    Job delayed = testing.result(queue.schedule(
        "2 days",
        "x",
        1,
        JobOptions.builder()
            .attempts(3)
            .backoff(JobBackoff.fixed(Duration.ofHours(5)))
            .build()));

    testing.runUntilIdle();

    assertThat(fresh(delayed).state()).isEqualTo(JobState.COMPLETED);
    assertThat(testing.now()).isEqualTo(Instant.parse("2026-01-03T22:00:00Z"));
  }

  @Test
  void nobody_waits_for_a_job_that_no_worker_takes() {
    Job job = testing.result(queue.add("x", 1));

    testing.runUntilIdle();

    assertThat(fresh(job).state()).isEqualTo(JobState.WAITING);
    assertThat(testing.now()).isBefore(Instant.parse("2026-01-01T12:31:00Z"));
  }

  @Test
  void what_a_schedule_makes_later_is_not_waited_for() {
    testing.jobs().worker("mail", this::note);
    testing.result(queue.cron("0 3 * * *", "nightly", 1, JobOptions.NONE));

    testing.runUntilIdle();

    assertThat(ran).isEmpty();
  }
}
