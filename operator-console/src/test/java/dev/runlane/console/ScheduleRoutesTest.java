package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.ConsoleFixture.Answered;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.schedule.RegisterSchedules;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ScheduleRoutesTest {
  private static final String REPORT = "/api/v1/tasks/report/schedules/yearly";
  private static ConsoleFixture console;

  @BeforeAll
  static void start() {
    console = new ConsoleFixture(new ConsoleOptions());
    ConsoleFixture.await(console
        .runlane
        .lane()
        .storage()
        .schedules()
        .orElseThrow()
        .registerSchedules(new RegisterSchedules(
            console.runlane.environment(),
            List.of(
                new RegisterSchedules.Definition("report", "yearly", "cron 0 0 1 1 * in UTC"),
                new RegisterSchedules.Definition(
                    "bills", "monthly", "cron 0 3 1 * * in Europe/Berlin")),
            Instant.parse("2026-05-01T12:00:00Z"),
            Duration.ofHours(1))));
  }

  @AfterAll
  static void stop() {
    console.close();
  }

  @Test
  void schedules_of_every_process_are_listed_in_pages_and_as_csv() {
    Instant before = Instant.now();
    JsonObject first = console.get("/api/v1/schedules?limit=1").json();
    JsonObject monthly = first.getJsonArray("data").getJsonObject(0);

    assertThat(monthly.getString("taskId")).isEqualTo("bills");
    assertThat(monthly.getString("zone")).isEqualTo("Europe/Berlin");
    assertThat(Instant.parse(monthly.getString("nextFire"))).isAfter(before);
    assertThat(console
            .get("/api/v1/schedules?limit=10&cursor=" + first.getString("nextCursor"))
            .text())
        .contains("report")
        .doesNotContain("bills");
    assertThat(console.get("/api/v1/schedules?format=csv").text())
        .startsWith("taskId,scheduleId")
        .contains("\"bills\",\"monthly\"");
  }

  @Test
  void a_fire_that_nobody_made_a_run_of_is_told() {
    Instant registered = Instant.now().minus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MINUTES);
    ConsoleFixture.await(console
        .runlane
        .lane()
        .storage()
        .schedules()
        .orElseThrow()
        .registerSchedules(new RegisterSchedules(
            console.runlane.environment(),
            List.of(new RegisterSchedules.Definition("mails", "each minute", "every PT1M")),
            registered,
            Duration.ofHours(1))));

    assertThat(console
            .get("/api/v1/tasks/mails/schedules/each%20minute")
            .json()
            .getString("missedFire"))
        .isEqualTo(registered.plus(Duration.ofMinutes(1)).toString());
    assertThat(console.get(REPORT).json().containsKey("missedFire"))
        .as("of one that no process has registered for a day")
        .isFalse();
  }

  @Test
  void a_schedule_is_paused_with_a_reason_and_resumed() {
    JsonObject paused =
        console.post(REPORT + "/pause", reason("the year is over")).json();
    JsonObject again = console.post(REPORT + "/pause", reason("again")).json();
    JsonObject told = console.get(REPORT).json();
    JsonObject resumed = console.post(REPORT + "/resume", reason("a new one")).json();

    assertThat(paused.getBoolean("changed")).isTrue();
    assertThat(again.getBoolean("changed")).isFalse();
    assertThat(told.getJsonObject("pause").getString("reason")).isEqualTo("the year is over");
    assertThat(told.getJsonObject("pause").getJsonObject("actor").getString("id"))
        .isEqualTo("local");
    assertThat(resumed.getBoolean("changed")).isTrue();
    assertThat(console.get(REPORT).json().containsKey("pause")).isFalse();
    assertThat(console.get(REPORT).json().getString("resumedAt")).isNotNull();
    assertThat(console.get("/api/v1/actions").text())
        .contains("\"schedule.pause\"", "report/yearly", "the year is over");
  }

  @Test
  void the_run_of_the_last_fire_is_told_with_its_status() {
    Task<String> pulse = Task.define("pulse", String.class)
        .retry(RetryPolicy.NONE)
        .schedule(Schedule.every("quick", Duration.ofSeconds(1)).payload("x"))
        .handler((payload, context) -> Future.failedFuture(new IllegalStateException("no")));
    Runlane other = Runlane.builder(console.vertx, console.runlane.lane())
        .options(
            new RunlaneOptions().setEnvironment(console.runlane.environment().name()))
        .queue(TaskQueue.of("pulses").asDefault())
        .task(pulse)
        .build();
    ConsoleFixture.await(other.deploy(console.vertx, new RunlaneDeployment()));

    JsonObject run;
    do {
      run = console
          .get("/api/v1/tasks/pulse/schedules/quick")
          .json()
          .getJsonObject("lastRun", new JsonObject());
    } while (!"failed".equals(run.getString("status")));

    JsonObject told = console.get("/api/v1/runs/" + run.getString("id")).json();
    assertThat(told.getString("taskId")).isEqualTo("pulse");
    assertThat(told.getJsonObject("source").getString("scheduleId")).isEqualTo("quick");
    assertThat(console.get("/api/v1/schedules").text()).contains("\"lastRun\"");
    ConsoleFixture.await(other.close());
  }

  @Test
  void a_schedule_of_this_process_is_fired_by_hand() {
    Answered fired =
        console.post("/api/v1/tasks/echo/schedules/never/fire", reason("the day is lost"));

    assertThat(fired.status()).isEqualTo(201);
    String id = fired.json().getJsonObject("run").getString("id");
    assertThat(console.ended(id).getJsonObject("output"))
        .isEqualTo(new JsonObject().put("by", "hand"));
    assertThat(console.get("/api/v1/actions").text())
        .contains("\"schedule.fire\"", "created " + id, "the day is lost");
    assertThat(console.get("/api/v1/runs/" + id + "/events").text())
        .as("why, as in the history of a rerun")
        .contains("\"reason\":\"the day is lost\"");
  }

  @Test
  void a_schedule_or_task_that_is_unknown_is_told_as_such() {
    assertThat(console.get("/api/v1/tasks/report/schedules/daily").status()).isEqualTo(404);
    assertThat(console
            .post("/api/v1/tasks/report/schedules/daily/pause", reason("x"))
            .status())
        .isEqualTo(404);
    assertThat(console.post(REPORT + "/fire", reason("x")).error().getString("message"))
        .contains("report");
    assertThat(
            console.post("/api/v1/tasks/echo/schedules/daily/fire", reason("x")).status())
        .isEqualTo(404);
  }

  private static JsonObject reason(String reason) {
    return new JsonObject().put("reason", reason);
  }
}
