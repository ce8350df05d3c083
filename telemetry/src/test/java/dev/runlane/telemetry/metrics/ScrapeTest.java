package dev.runlane.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.telemetry.LoadedSystem;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What Prometheus reads from a loaded process on a real Postgres. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ScrapeTest {
  private static String scrape;

  @BeforeAll
  static void load() {
    scrape = LoadedSystem.scrape();
  }

  @Test
  void runs_are_counted_by_queue_and_task_and_what_became_of_them() {
    assertThat(lines("runlane_runs_triggered_total{"))
        .contains(
            "runlane_runs_triggered_total{messaging_destination_name=\"default\",runlane_source=\"trigger\",runlane_task=\"orders.ship\"} 1.0");
    assertThat(lines("runlane_runs_ended_total{"))
        .contains(
            "runlane_runs_ended_total{messaging_destination_name=\"default\",runlane_outcome=\"failed\",runlane_task=\"orders.ship\"} 1.0",
            "runlane_runs_ended_total{messaging_destination_name=\"default\",runlane_outcome=\"cancelled\",runlane_task=\"orders.charge\"} 1.0",
            "runlane_runs_ended_total{messaging_destination_name=\"default\",runlane_outcome=\"failed\",runlane_task=\"orders.charge\"} 0.0");
  }

  @Test
  void every_outcome_of_an_attempt_is_counted_with_its_error() {
    assertThat(lines("runlane_attempts_ended_total{"))
        .anyMatch(line -> line.contains("error_type=\"task_failed\"")
            && line.contains("runlane_outcome=\"retried\"")
            && line.endsWith(" 1.0"))
        .anyMatch(line -> line.contains("runlane_outcome=\"failed\""))
        .anyMatch(line -> line.contains("runlane_outcome=\"released\""))
        .anyMatch(line -> line.contains("runlane_outcome=\"succeeded\""))
        .anyMatch(
            line -> line.contains("runlane_outcome=\"lost\"") && line.contains("orders.hang"));
  }

  @Test
  void times_are_histograms_in_seconds() {
    for (String name : List.of(
        "runlane_attempt_wait_seconds",
        "runlane_attempt_duration_seconds",
        "runlane_run_duration_seconds",
        "runlane_sweep_duration_seconds",
        "runlane_storage_statement_duration_seconds",
        "runlane_storage_slot_wait_seconds")) {
      assertThat(lines(name + "_bucket{")).as(name).isNotEmpty();
      assertThat(lines(name + "_count{")).as(name).isNotEmpty();
    }
    assertThat(lines("runlane_storage_statement_commands_bucket{")).isNotEmpty();
  }

  @Test
  void slots_are_shown_as_long_as_the_worker_works() {
    assertThat(lines("runlane_slots_running "))
        .containsExactly("runlane_slots_running 1.0", "runlane_slots_running 0.0");
    assertThat(lines("runlane_slots_free "))
        .containsExactly("runlane_slots_free 7.0", "runlane_slots_free 0.0");
  }

  @Test
  void wakeups_heartbeats_sweeps_and_statements_that_fail_are_counted() {
    for (String name : List.of(
        "runlane_wakeups_published_total",
        "runlane_wakeups_failed_total",
        "runlane_wakeups_deadlettered_total",
        "runlane_heartbeats_late_total",
        "runlane_sweeps_failed_total",
        "runlane_storage_statements_failed_total")) {
      assertThat(lines(name + "{")).as(name).isNotEmpty();
    }
  }

  @Test
  void what_waits_in_queues_and_outbox_is_shown_as_it_was_counted_last() {
    assertThat(lines("runlane_queue_runs{"))
        .contains( // one that is delayed, and one that waits for its step
            "runlane_queue_runs{messaging_destination_name=\"default\",runlane_state=\"later\"} 2.0");
    assertThat(lines("runlane_steps_waiting{"))
        .contains("runlane_steps_waiting{runlane_group=\"classify\"} 1.0");
    assertThat(lines("runlane_job_queue_jobs{"))
        .contains(
            "runlane_job_queue_jobs{messaging_destination_name=\"mails\",runlane_state=\"delayed\"} 1.0",
            "runlane_job_queue_jobs{messaging_destination_name=\"mails\",runlane_state=\"failed\"} 1.0");
    assertThat(lines("runlane_outbox_messages{"))
        .anyMatch(line -> line.contains("runlane_state=\"pending\""))
        .anyMatch(line -> line.contains("runlane_state=\"dead_lettered\""));
    assertThat(lines("runlane_queue_oldest_age_seconds{")).isNotEmpty();
    assertThat(lines("runlane_outbox_oldest_age_seconds ")).isNotEmpty();
    assertThat(lines("runlane_depths_age_seconds "))
        .isNotEmpty()
        .noneMatch(line -> line.endsWith("NaN"));
  }

  @Test
  void records_of_a_connector_are_counted_from_zero_on() {
    assertThat(lines("runlane_connector_records_total{"))
        .anyMatch(line -> line.contains("runlane_connector=\"idle\"")
            && line.contains("runlane_outcome=\"rejected\"")
            && line.endsWith(" 0.0"));
  }

  private static List<String> lines(String begin) {
    return scrape.lines().filter(line -> line.startsWith(begin)).toList();
  }
}
