package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.console.ConsoleOptions;
import dev.runlane.console.OperatorConsole;
import dev.runlane.lane.Lanes;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.schedule.RegisterSchedules;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("runlane schedules")
@DisplayNameGeneration(ReplaceUnderscores.class)
class SchedulesTest {
  private OperatedFleet fleet;
  private Runlane reports;
  private volatile boolean fails;

  @BeforeEach
  void start() {
    fleet = OperatedFleet.onEmptied();
    PgStorageAdapter storage = PgStorageAdapter.create(
        fleet.vertx, new PgStorageOptions().setSchema(fleet.schema).setConnectOptions(fleet.way()));
    reports = Runlane.builder(fleet.vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(OperatedFleet.DEFAULT)
        .task(Task.define("report", String.class)
            .schedule(Schedule.every("hourly", Duration.ofHours(1)).payload("all"))
            .retry(RetryPolicy.attempts(1))
            .handler((payload, context) -> fails
                ? Future.failedFuture(new IllegalStateException("the disk is full"))
                : Future.succeededFuture(TaskResult.done(payload))))
        .build();
    await(reports.start());
    register("report", "hourly", "every PT1H");
    register("report", "nightly", "cron 0 3 * * * in Europe/Berlin");
  }

  @AfterEach
  void end() {
    await(reports.close());
    fleet.close();
  }

  @Test
  void list_tells_when_a_schedule_fires_and_who_paused_it() {
    await(reports.tick());
    fleet.runlane("schedules", "pause", "report", "hourly", "--reason", "the disk is full");

    assertThat(fleet.runlane("schedules", "list").out())
        .containsPattern("TASK +SCHEDULE +FIRES +LAST +RUN +NEXT +SEEN +NOTE")
        .containsPattern(
            "report +hourly +every PT1H +\\S+:00:00Z +queued +\\S+:00:00Z .*paused by ada .* ago: the disk is full");
    Instant before = Instant.now();
    JsonNode all = fleet.json("schedules", "list").path("data");
    assertThat(all.get(0).path("paused").path("by").asText()).isEqualTo("ada");
    assertThat(all.get(0).path("lastFire").asText()).isNotEmpty();
    assertThat(all.get(1).path("zone").asText()).isEqualTo("Europe/Berlin");
    assertThat(Instant.parse(all.get(1).path("nextFire").asText())).isAfter(before);
    assertThat(all.get(1).path("paused").isNull()).isTrue();
  }

  @Test
  void a_schedule_whose_latest_run_failed_says_so_from_the_database_as_over_the_api() {
    await(reports.tick());
    String run = runs().get(0).id();
    assertThat(latest(fleet.json("schedules", "list")).path("status").asText()).isEqualTo("queued");
    fails = true;
    OperatedFleet.until(() -> {
      await(reports.executeNext());
      return runs().get(0).status() == RunStatus.FAILED;
    });
    fleet.runlane("schedules", "pause", "report", "hourly");
    fleet.runlane("schedules", "resume", "report", "hourly");

    JsonNode local = fleet.json("schedules", "list");

    assertThat(latest(local).path("id").asText()).isEqualTo(run);
    assertThat(latest(local).path("status").asText()).isEqualTo("failed");
    assertThat(local.path("data").get(0).path("resumedAt").asText()).isNotEmpty();
    assertThat(local.path("data").get(1).path("lastRun").isNull()).isTrue();
    assertThat(fleet.runlane("schedules", "list").out())
        .containsPattern("report +hourly .* failed .*run " + run + " failed");
    OperatorConsole console =
        OperatorConsole.create(fleet.vertx, reports, new ConsoleOptions().setPort(0));
    String url = "http://127.0.0.1:" + await(console.start());
    OperatedFleet.until(
        () -> Printed.by(Map.of("RUNLANE_URL", url), Terminal.NONE, "schedules", "list", "--json")
            .out()
            .equals(fleet.json("schedules", "list") + "\n")); // the hour may turn between the two
    await(console.close());
  }

  private static JsonNode latest(JsonNode schedules) {
    return schedules.path("data").get(0).path("lastRun");
  }

  @Test
  void a_paused_schedule_makes_no_run_and_none_of_its_pause_when_it_is_resumed() {
    assertThat(fleet.runlane("schedules", "pause", "report", "hourly").out())
        .isEqualTo("Schedule hourly of task report is paused\n");
    assertThat(fleet.runlane("schedules", "pause", "report", "hourly").out())
        .isEqualTo("Schedule hourly of task report was paused already, and stays so\n");

    await(reports.tick());
    assertThat(runs()).isEmpty();

    Instant resumed = Instant.now();
    assertThat(fleet
            .json("schedules", "resume", "report", "hourly")
            .path("changed")
            .asBoolean())
        .isTrue();
    assertThat(fleet.runlane("schedules", "resume", "report", "hourly").out())
        .isEqualTo("Schedule hourly of task report was not paused\n");
    await(reports.tick());
    assertThat(fires()).as("unless the hour has just turned").allMatch(at -> at.isAfter(resumed));
    assertThat(fleet.json("actions", "list").path("data").findValuesAsText("action"))
        .containsOnly("schedule.pause", "schedule.resume")
        .hasSize(4);
  }

  @Test
  void fire_repeats_the_last_run_of_the_schedule() {
    await(reports.tick());
    OperatedFleet.until(() -> {
      await(reports.executeNext());
      return runs().stream().allMatch(run -> run.status() == RunStatus.SUCCEEDED);
    });
    String first = runs().get(0).id();

    Printed fired = fleet.runlane("schedules", "fire", "report", "hourly", "--reason", "again");

    assertThat(runs()).hasSize(2);
    assertThat(fired.out()).isEqualTo("Run " + runs().get(0).id() + " repeats " + first + "\n");
    assertThat(await(reports.runs().get(runs().get(0).id()))
            .orElseThrow()
            .payload()
            .text())
        .isEqualTo("\"all\"");
    JsonNode action = fleet.json("actions", "list").path("data").get(0);
    assertThat(action.path("action").asText()).isEqualTo("schedule.fire");
    assertThat(action.path("target").asText()).isEqualTo("report/hourly");
    assertThat(action.path("reason").asText()).isEqualTo("again");
    assertThat(action.path("result").asText())
        .isEqualTo("created " + runs().get(0).id());
    Printed never = fleet.runlane("schedules", "fire", "report", "nightly");
    assertThat(never.exitCode()).isEqualTo(4);
    assertThat(never.err()).contains("none is of schedule nightly");
  }

  @Test
  void fire_over_the_api_takes_the_payload_from_the_process_that_has_the_task() {
    OperatorConsole console =
        OperatorConsole.create(fleet.vertx, reports, new ConsoleOptions().setPort(0));
    Map<String, String> variables =
        Map.of("RUNLANE_URL", "http://127.0.0.1:" + await(console.start()));

    Printed fired = Printed.by(
        variables, Terminal.NONE, "schedules", "fire", "report", "hourly", "--reason", "now");
    Printed elsewhere = Printed.by(
        variables, Terminal.NONE, "schedules", "fire", "report", "nightly", "--reason", "now");

    await(console.close());
    assertThat(runs()).hasSize(1);
    assertThat(fired.out())
        .as(fired.toString())
        .isEqualTo("Run " + runs().get(0).id() + " is of schedule hourly\n");
    assertThat(elsewhere.exitCode()).isEqualTo(4);
    assertThat(elsewhere.err()).contains("none is of schedule nightly");
  }

  @Test
  void a_schedule_that_nobody_registered_is_told_as_such() {
    Printed unknown = fleet.runlane("schedules", "pause", "report", "weekly");

    assertThat(unknown.exitCode()).isNotZero();
    assertThat(unknown.err()).contains("task report has no schedule weekly");
  }

  @Test
  void doctor_tells_of_a_paused_schedule() {
    fleet.runlane("schedules", "pause", "report", "nightly", "--reason", "the disk is full");

    assertThat(fleet.runlane("doctor").out())
        .contains("Schedule nightly of task report is paused: ada did it at ")
        .contains("the disk is full", "runlane schedules resume report nightly");
  }

  private List<RunSummary> runs() {
    return await(reports.runs().list(RunFilter.ALL.withTaskIds(List.of("report"))))
        .data();
  }

  /** For when there are runs of a schedule. */
  private List<Instant> fires() {
    List<Instant> fires = new ArrayList<>();
    fleet
        .sql("SELECT fire_at FROM {schema}.schedule_occurrences WHERE cardinality(run_ids) > 0")
        .forEach(row -> fires.add(row.getOffsetDateTime(0).toInstant()));
    return fires;
  }

  /** As if a process had done so a day ago. */
  private void register(String taskId, String scheduleId, String definition) {
    await(reports
        .lane()
        .storage()
        .schedules()
        .orElseThrow()
        .registerSchedules(new RegisterSchedules(
            reports.environment(),
            List.of(new RegisterSchedules.Definition(taskId, scheduleId, definition)),
            Instant.now().minus(Duration.ofDays(1)),
            Duration.ofHours(1))));
  }
}
