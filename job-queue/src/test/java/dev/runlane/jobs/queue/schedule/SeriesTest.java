package dev.runlane.jobs.queue.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SeriesTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final Json DATA = Json.ofChecked("{\"a\":1}");

  @Test
  void the_first_run_of_an_interval_is_at_once() {
    NewJob first = first(JobRepeat.every(Duration.ofMinutes(5)));

    assertThat(first.state()).isEqualTo(JobState.WAITING);
  }

  @Test
  void the_first_run_waits_for_the_start() {
    Instant start = NOON.plusSeconds(3_600);

    NewJob first = first(JobRepeat.every(Duration.ofMinutes(5)).between(start, null));

    assertThat(first.delayUntil()).isEqualTo(start);
  }

  @Test
  void the_first_run_of_cron_waits_for_its_match() {
    NewJob first = first(JobRepeat.cron("30 * * * *"));

    assertThat(first.state()).isEqualTo(JobState.DELAYED);
    assertThat(first.delayUntil()).isEqualTo(Instant.parse("2026-01-01T12:30:00Z"));
  }

  @Test
  void the_first_run_of_cron_may_be_the_start_itself() {
    Instant start = Instant.parse("2026-01-05T08:30:00Z");

    NewJob first = first(JobRepeat.cron("30 8 * * *").between(start, null));

    assertThat(first.delayUntil()).isEqualTo(start);
  }

  @Test
  void cron_is_read_in_its_zone() {
    NewJob first = first(JobRepeat.cron("0 9 * * *", ZoneId.of("America/New_York")));

    assertThat(first.delayUntil()).isEqualTo(Instant.parse("2026-01-01T14:00:00Z"));
  }

  @Test
  void a_series_that_never_runs_is_refused() {
    assertThatThrownBy(() -> first(JobRepeat.cron("0 0 31 2 *"))).hasMessageContaining("never");
    assertThatThrownBy(() -> first(JobRepeat.cron("nonsense"))).hasMessageContaining("cron");
  }

  @Test
  void the_next_run_of_an_interval_counts_from_the_end_of_the_last() {
    NewJob next = next(JobRepeat.every(Duration.ofMinutes(5))).orElseThrow();

    assertThat(next.delayUntil()).isEqualTo(NOON.plusSeconds(300));
  }

  @Test
  void the_next_run_of_cron_is_the_next_match() {
    NewJob next = next(JobRepeat.cron("*/10 * * * *")).orElseThrow();

    assertThat(next.delayUntil()).isEqualTo(Instant.parse("2026-01-01T12:10:00Z"));
  }

  @Test
  void each_run_lowers_the_limit_by_one_until_none_follows() {
    JobRepeat repeat = JobRepeat.every(Duration.ofSeconds(1));

    NewJob next = next(repeat.withLimit(1)).orElseThrow();

    assertThat(Objects.requireNonNull(next.options().repeat()).limit()).isZero();
    assertThat(next(repeat.withLimit(0))).isEmpty();
  }

  @Test
  void no_run_is_at_or_after_the_end() {
    JobRepeat repeat = JobRepeat.every(Duration.ofMinutes(1));

    assertThat(next(repeat.between(null, NOON.plusSeconds(60)))).isEmpty();
    assertThat(next(repeat.between(null, NOON.plusSeconds(61)))).isPresent();
  }

  @Test
  void the_next_run_has_name_payload_and_options_but_not_the_id_and_the_delay() {
    JobOptions options = JobOptions.builder()
        .jobId("only-once")
        .delay(Duration.ofHours(1))
        .priority(3)
        .attempts(4)
        .repeat(JobRepeat.every(Duration.ofSeconds(10)))
        .build();

    NewJob next = Objects.requireNonNull(Series.next(job(options), NOON));

    assertThat(next.name()).isEqualTo("report");
    assertThat(next.data()).isEqualTo(DATA);
    assertThat(next.id()).isNull();
    assertThat(next.delayUntil()).isEqualTo(NOON.plusSeconds(10));
    assertThat(next.options().effectivePriority()).isEqualTo(3);
    assertThat(next.options().effectiveAttempts()).isEqualTo(4);
  }

  @Test
  void a_job_that_does_not_repeat_has_no_next_run() {
    assertThat(Series.next(job(JobOptions.NONE), NOON)).isNull();
  }

  @Test
  void fires_of_a_schedule_that_were_missed_collapse_into_one() {
    JobRepeat every = JobRepeat.every(Duration.ofMinutes(10));
    Instant due = NOON.minus(Duration.ofHours(3));

    assertThat(Series.nextFire(every, due, NOON, 1)).contains(NOON.plus(Duration.ofMinutes(10)));
    assertThat(Series.nextFire(JobRepeat.cron("0 * * * *"), due, NOON, 1))
        .contains(NOON.plus(Duration.ofHours(1)));
  }

  @Test
  void a_schedule_keeps_its_rhythm_when_it_fires_late() {
    JobRepeat every = JobRepeat.every(Duration.ofMinutes(10));

    assertThat(Series.nextFire(every, NOON.minusSeconds(3), NOON, 1))
        .contains(NOON.plusSeconds(597));
  }

  @Test
  void a_schedule_with_a_limit_fires_once_more_than_that() {
    JobRepeat every = JobRepeat.every(Duration.ofMinutes(10)).withLimit(2);

    assertThat(Series.nextFire(every, NOON, NOON, 2)).isPresent();
    assertThat(Series.nextFire(every, NOON, NOON, 3)).isEmpty();
  }

  private static NewJob first(JobRepeat repeat) {
    return Series.first("report", DATA, JobOptions.builder().repeat(repeat).build(), NOON);
  }

  private static Optional<NewJob> next(JobRepeat repeat) {
    return Optional.ofNullable(
        Series.next(job(JobOptions.builder().repeat(repeat).build()), NOON));
  }

  private static JobData job(JobOptions options) {
    return JobData.builder(
            "1", "reports", "report", DATA, JobState.ACTIVE, options, NOON.minusSeconds(60))
        .build();
  }
}
