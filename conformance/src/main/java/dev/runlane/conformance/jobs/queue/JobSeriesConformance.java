package dev.runlane.conformance.jobs.queue;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Series go on and schedules fire, each once. */
@DisplayName("series go on and schedules fire, each once")
public abstract class JobSeriesConformance extends JobStoreConformance {
  private static final JobRepeat MINUTELY = JobRepeat.every(Duration.ofMinutes(1));
  private static final NewJob NEXT =
      job("next", JobOptions.builder().repeat(MINUTELY).build()).dueAt(after(60_000));

  @Test
  @Rule("J350")
  void the_next_of_a_series_is_stored_when_one_completes_or_fails() {
    for (JobOutcome end : List.of(DONE, BROKEN)) {
      SavedJob next = Objects.requireNonNull(ending(end, NOON).next());

      assertThat(next.outcome()).isEqualTo(SavedJob.Outcome.STORED);
      JobData stored = get(next.id());
      assertThat(stored.state()).isEqualTo(JobState.DELAYED);
      assertThat(stored.delayUntil()).isEqualTo(after(60_000));
      assertThat(stored.options().repeat()).isEqualTo(MINUTELY);
    }
  }

  @Test
  @Rule("J350")
  void a_series_goes_on_when_a_job_is_lost_for_good() {
    JobData running = running(job("a", JobOptions.builder().maxStalls(0).build()));

    FinishedJob lost = change(Outcomes.done(store.finishJob(new FinishJob(
        running.lock(), new JobOutcome.Stalled(), NEXT, NOON.plus(LOCK).plusMillis(1)))));

    assertThat(lost.next()).isNotNull();
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.DELAYED))).isEqualTo(1);
  }

  @Test
  @Rule("J350")
  void a_run_whose_series_went_on_does_not_begin_it_again() {
    JobOptions series =
        JobOptions.builder().repeat(MINUTELY).deadLetterQueue("dead").build();
    for (JobOutcome end : List.of(DONE, BROKEN)) {
      JobData running = running(job("a", series));

      Outcomes.done(store.finishJob(new FinishJob(running.lock(), end, NEXT, NOON)));

      assertThat(get(running.id()).options().repeat()).isEqualTo(MINUTELY.withLimit(0));
      Outcomes.done(store.retryJobs(QUEUE, stateOf(running.id())));
      assertThat(stateOf(running.id())).isEqualTo(JobState.WAITING);
      assertThat(get(running.id()).options().repeat()).isEqualTo(MINUTELY.withLimit(0));
      Outcomes.done(store.drain(QUEUE, NOON));
    }
    List<JobRef> redriven = Outcomes.done(store.redriveDeadLetters("dead", 10, NOON));
    assertThat(redriven).hasSize(1);
    assertThat(get(redriven.get(0).jobId()).options().repeat()).isEqualTo(MINUTELY.withLimit(0));
  }

  @Test
  @Rule("J350")
  void a_run_that_ended_its_series_can_be_retried_to_begin_it_again() {
    JobData running = running(job("a", JobOptions.builder().repeat(MINUTELY).build()));
    Outcomes.done(
        store.finishJob(new FinishJob(running.lock(), new JobOutcome.Cancelled(), NEXT, NOON)));

    Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED));

    assertThat(get(running.id()).options().repeat()).isEqualTo(MINUTELY);
  }

  @Test
  @Rule("J351")
  void a_series_waits_for_the_end_of_its_job() {
    for (JobOutcome goesOn :
        List.of(new JobOutcome.Retry(NOON, "again", null), new JobOutcome.Snooze(NOON))) {
      assertThat(ending(goesOn, NOON).next()).isNull();
      Outcomes.done(store.drain(QUEUE, NOON));
    }
    assertThat(ending(new JobOutcome.Cancelled(), NOON).next()).isNull();

    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.DELAYED))).isZero();
  }

  @Test
  @Rule("J352")
  void who_lost_a_job_does_not_carry_its_series_on() {
    JobData running = running(job("a"));
    finished(running, DONE);

    Outcomes.done(store.finishJob(new FinishJob(running.lock(), DONE, NEXT, NOON)));

    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.DELAYED))).isZero();
  }

  @Test
  @Rule("J355")
  void a_schedule_is_kept_as_it_was_said() {
    UpsertSchedule said = upsert("daily", MINUTELY, after(60_000));

    JobSchedule schedule = Outcomes.done(store.upsertSchedule(said));

    assertThat(schedule)
        .isEqualTo(new JobSchedule(
            QUEUE,
            "daily",
            "report",
            DATA,
            said.options(),
            MINUTELY,
            after(60_000),
            0,
            null,
            null,
            NOON,
            NOON));
    assertThat(Outcomes.done(store.getSchedule(QUEUE, "daily"))).contains(schedule);
    assertThat(Outcomes.done(store.listSchedules(QUEUE))).containsExactly(schedule);
    assertThat(Outcomes.done(store.listScheduleSummaries(QUEUE)))
        .containsExactly(new JobSchedule(
            QUEUE,
            "daily",
            "report",
            Json.ofChecked("null"),
            said.options(),
            MINUTELY,
            after(60_000),
            0,
            null,
            null,
            NOON,
            NOON));
    assertThat(Outcomes.done(store.getSchedule(QUEUE, "other"))).isEmpty();
    assertThat(Outcomes.done(store.listSchedules(OTHER_QUEUE))).isEmpty();
    assertThat(Outcomes.done(store.listScheduleSummaries(OTHER_QUEUE))).isEmpty();
  }

  @Test
  @Rule("J356")
  void saying_the_same_again_neither_doubles_nor_moves_a_fire() {
    Outcomes.done(store.upsertSchedule(upsert("daily", MINUTELY, after(60_000))));
    fire("daily", after(60_000), after(120_000));

    JobSchedule again = Outcomes.done(store.upsertSchedule(new UpsertSchedule(
        QUEUE,
        "daily",
        "renamed",
        Json.ofChecked("2"),
        JobOptions.NONE,
        MINUTELY,
        after(999_999),
        after(70_000))));

    assertThat(again.nextAt()).isEqualTo(after(120_000));
    assertThat(again.fired()).isEqualTo(1);
    assertThat(again.jobName()).isEqualTo("renamed");
    assertThat(again.data()).isEqualTo(Json.ofChecked("2"));
    assertThat(Outcomes.done(store.listSchedules(QUEUE))).hasSize(1);
  }

  @Test
  @Rule("J356")
  void a_schedule_that_fires_at_other_times_begins_anew() {
    JobSchedule made =
        Outcomes.done(store.upsertSchedule(upsert("daily", MINUTELY, after(60_000))));
    SavedJob last = fire("daily", after(60_000), after(120_000)).orElseThrow();

    JobSchedule changed = Outcomes.done(
        store.upsertSchedule(upsert("daily", JobRepeat.cron("0 5 * * *"), after(500_000))));

    assertThat(changed.nextAt()).isEqualTo(after(500_000));
    assertThat(changed.fired()).isZero();
    assertThat(changed.createdAt()).isEqualTo(made.createdAt());
    assertThat(changed.lastFiredAt()).isEqualTo(after(60_000)); // it did
    assertThat(changed.lastJobId()).isEqualTo(last.id());
    assertThat(Outcomes.done(store.getSchedule(QUEUE, "daily"))).contains(changed);
  }

  @Test
  @Rule("J357")
  void a_fire_stores_its_job_and_moves_the_schedule_on() {
    Outcomes.done(store.upsertSchedule(upsert("daily", MINUTELY, after(60_000))));

    SavedJob saved = fire("daily", after(60_000), after(120_000)).orElseThrow();

    assertThat(saved.outcome()).isEqualTo(SavedJob.Outcome.STORED);
    assertThat(get(saved.id()).scheduleKey()).isEqualTo("daily");
    assertThat(get(saved.id()).name()).isEqualTo("report");
    JobSchedule schedule = Outcomes.done(store.getSchedule(QUEUE, "daily")).orElseThrow();
    assertThat(schedule.nextAt()).isEqualTo(after(120_000));
    assertThat(schedule.fired()).isEqualTo(1);
    assertThat(schedule.lastFiredAt()).isEqualTo(after(60_000));
    assertThat(schedule.lastJobId()).isEqualTo(saved.id());
  }

  @Test
  @Rule("J357")
  void a_fire_that_is_not_the_next_does_nothing() {
    Outcomes.done(store.upsertSchedule(upsert("daily", MINUTELY, after(60_000))));
    fire("daily", after(60_000), after(120_000));

    assertThat(fire("daily", after(60_000), after(120_000))).isEmpty();
    assertThat(fire("daily", after(180_000), after(240_000))).isEmpty();
    assertThat(fire("nobody", after(60_000), after(120_000))).isEmpty();

    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(1);
  }

  @Test
  @Rule("J357")
  void a_schedule_that_was_changed_while_it_was_due_goes_on_as_it_was_said_last() {
    Outcomes.done(store.upsertSchedule(upsert("daily", MINUTELY, after(60_000))));
    JobSchedule listed =
        Outcomes.done(store.listDueSchedules(QUEUE, after(60_000), 10)).get(0);
    JobRepeat hourly = JobRepeat.every(Duration.ofHours(1));
    Outcomes.done(store.upsertSchedule(upsert("daily", hourly, after(60_000))));

    Optional<SavedJob> fired = Outcomes.done(
        store.fireSchedule(firing("daily", after(60_000), listed.repeat(), after(86_400_000))));

    assertThat(fired).isEmpty();
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isZero();
    JobSchedule stays = Outcomes.done(store.getSchedule(QUEUE, "daily")).orElseThrow();
    assertThat(stays.nextAt()).isEqualTo(after(60_000));
    assertThat(stays.fired()).isZero();
    assertThat(Outcomes.done(store.listDueSchedules(QUEUE, after(60_000), 10)))
        .containsExactly(stays);
    Outcomes.done(
        store.fireSchedule(firing("daily", after(60_000), stays.repeat(), after(3_660_000))));
    assertThat(Outcomes.done(store.getNextScheduleTimestamp(QUEUE))).contains(after(3_660_000));
  }

  @Test
  @Rule("J358")
  void of_competing_fires_one_stores_a_job() {
    Outcomes.done(store.upsertSchedule(upsert("daily", MINUTELY, after(60_000))));

    Race.Results<Optional<SavedJob>> race =
        race(8, i -> () -> storeOf(i).fireSchedule(firing("daily", after(60_000), after(120_000))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().filter(Optional::isPresent)).hasSize(1);
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(1);
  }

  @Test
  @Rule("J359")
  void due_schedules_are_listed_and_the_next_fire_is_known() {
    assertThat(Outcomes.done(store.getNextScheduleTimestamp(QUEUE))).isEmpty();
    Outcomes.done(store.upsertSchedule(upsert("c", MINUTELY, after(300))));
    Outcomes.done(store.upsertSchedule(upsert("a", MINUTELY, after(200))));
    Outcomes.done(store.upsertSchedule(upsert("bb", MINUTELY, after(100))));
    Outcomes.done(store.upsertSchedule(upsert("over", MINUTELY, null)));

    assertThat(keys(Outcomes.done(store.listDueSchedules(QUEUE, after(200), 10))))
        .containsExactly("bb", "a");
    assertThat(keys(Outcomes.done(store.listDueSchedules(QUEUE, after(200), 1))))
        .containsExactly("bb");
    assertThat(Outcomes.done(store.listDueSchedules(QUEUE, after(99), 10))).isEmpty();
    assertThat(Outcomes.done(store.getNextScheduleTimestamp(QUEUE))).contains(after(100));
    assertThat(keys(Outcomes.done(store.listSchedules(QUEUE))))
        .containsExactly("a", "bb", "c", "over");
  }

  @Test
  @Rule("J359")
  void the_last_fire_leaves_a_schedule_without_a_next() {
    Outcomes.done(store.upsertSchedule(upsert("once", MINUTELY, after(100))));

    fire("once", after(100), null);

    assertThat(Outcomes.done(store.getNextScheduleTimestamp(QUEUE))).isEmpty();
    assertThat(Outcomes.done(store.listDueSchedules(QUEUE, after(9_000), 10))).isEmpty();
    assertThat(Outcomes.done(store.listSchedules(QUEUE))).hasSize(1);
  }

  @Test
  @Rule("J360")
  void a_removed_schedule_fires_no_more_and_its_jobs_stay() {
    Outcomes.done(store.upsertSchedule(upsert("daily", MINUTELY, after(60_000))));
    String made = fire("daily", after(60_000), after(120_000)).orElseThrow().id();

    assertThat(Outcomes.done(store.removeSchedule(QUEUE, "daily"))).isTrue();

    assertThat(Outcomes.done(store.removeSchedule(QUEUE, "daily"))).isFalse();
    assertThat(fire("daily", after(120_000), after(180_000))).isEmpty();
    assertThat(exists(made)).isTrue();
  }

  @Test
  @Rule("J361")
  void a_failed_job_leaves_its_schedule_alone() {
    Outcomes.done(store.upsertSchedule(upsert("daily", MINUTELY, after(60_000))));
    fire("daily", after(60_000), after(120_000));

    finished(fetched(), BROKEN);

    assertThat(fire("daily", after(120_000), after(180_000))).isPresent();
  }

  @Test
  @Rule("J362")
  void an_obliterated_queue_has_no_schedules() {
    Outcomes.done(store.upsertSchedule(upsert("daily", MINUTELY, after(60_000))));
    assertThat(Outcomes.done(store.listSchedules(QUEUE))).hasSize(1);

    Outcomes.done(store.obliterate(QUEUE, Obliterate.IF_IDLE, NOON));

    assertThat(Outcomes.done(store.listSchedules(QUEUE))).isEmpty();
  }

  @Test
  @Rule("J363")
  void schedules_of_two_queues_with_one_key_are_two() {
    UpsertSchedule here = upsert("daily", MINUTELY, after(60_000));
    Outcomes.done(store.upsertSchedule(here));
    JobSchedule elsewhere = Outcomes.done(store.upsertSchedule(new UpsertSchedule(
        OTHER_QUEUE, "daily", "mail", DATA, here.options(), here.repeat(), after(90_000), NOON)));

    String made = fire("daily", after(60_000), after(120_000)).orElseThrow().id();
    assertThat(Outcomes.done(store.getSchedule(OTHER_QUEUE, "daily"))).contains(elsewhere);
    assertThat(Outcomes.done(store.listSchedules(OTHER_QUEUE))).containsExactly(elsewhere);
    assertThat(Outcomes.done(store.getSchedule(QUEUE, "daily")))
        .map(JobSchedule::lastJobId)
        .contains(made);
    assertThat(Outcomes.done(store.listDueSchedules(OTHER_QUEUE, after(120_000), 10)))
        .containsExactly(elsewhere);
    assertThat(Outcomes.done(store.getNextScheduleTimestamp(QUEUE))).contains(after(120_000));
    assertThat(Outcomes.done(store.getNextScheduleTimestamp(OTHER_QUEUE))).contains(after(90_000));

    Outcomes.done(store.removeSchedule(QUEUE, "daily"));
    assertThat(Outcomes.done(store.getSchedule(QUEUE, "daily"))).isEmpty();
    assertThat(Outcomes.done(store.getSchedule(OTHER_QUEUE, "daily"))).contains(elsewhere);
  }

  private FinishedJob ending(JobOutcome outcome, Instant now) {
    JobData running = running(job("a"));
    return change(
        Outcomes.done(store.finishJob(new FinishJob(running.lock(), outcome, NEXT, now))));
  }

  private static UpsertSchedule upsert(String key, JobRepeat repeat, @Nullable Instant nextAt) {
    JobOptions options = JobOptions.builder().attempts(3).build();
    return new UpsertSchedule(QUEUE, key, "report", DATA, options, repeat, nextAt, NOON);
  }

  private static FireSchedule firing(String key, Instant dueAt, @Nullable Instant nextAt) {
    return firing(key, dueAt, MINUTELY, nextAt);
  }

  private static FireSchedule firing(
      String key, Instant dueAt, JobRepeat repeat, @Nullable Instant nextAt) {
    return new FireSchedule(QUEUE, key, dueAt, repeat, job("report"), nextAt, dueAt);
  }

  private Optional<SavedJob> fire(String key, Instant dueAt, @Nullable Instant nextAt) {
    return Outcomes.done(store.fireSchedule(firing(key, dueAt, nextAt)));
  }

  private static List<String> keys(List<JobSchedule> schedules) {
    return schedules.stream().map(JobSchedule::key).toList();
  }
}
