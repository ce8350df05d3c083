package dev.runlane.connector.controller;

import static dev.runlane.connector.controller.OwnerScene.RECORD;
import static dev.runlane.connector.controller.OwnerScene.STATE;
import static dev.runlane.connector.controller.OwnerScene.done;
import static dev.runlane.connector.controller.OwnerScene.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.schedule.ConnectorScheduler;
import dev.runlane.connector.schedule.ConnectorSchedulerVerticle;
import dev.runlane.connector.schedule.ControllerRuns;
import dev.runlane.connector.schedule.SchedulerOptions;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("scheduled runs, over HTTP, on Postgres, with real children")
class ScheduledRunsTest extends OwnerCase {
  private static final String SKIP =
      "echo '{\"type\":\"SKIP_RESULT\",\"stream\":\"books\",\"reason\":\"page_locked\"}'\n";

  private OwnerClient owner;
  private Path launches;
  private String deployment;

  @BeforeEach
  void scheduler() {
    launches = registries.resolve("launches");
  }

  @AfterEach
  void undeploy() {
    OwnerHost.await(scene.hosts.get(0).vertx.undeploy(deployment));
  }

  /** A connector that writes down each run it is launched for, a scheduler, and a schedule that is due at once. */
  private void schedule(String script, int seconds) {
    start(script);
    every(seconds);
  }

  private void start(String script) {
    Folders.runnable(
        scene.polyfills,
        "shelf",
        "1",
        "echo $PDPP_RUN_ID >> " + launches + "\nread -r start\n" + script);
    owner = scene.start();
    OwnerHost host = scene.hosts.get(0);
    SchedulerOptions options =
        new SchedulerOptions().setFirstPause(Duration.ofMillis(10)).setSweep(Duration.ofMillis(20));
    Timers timers = Timers.of(host.vertx);
    deployment = OwnerHost.await(host.vertx.deployVerticle(new ConnectorSchedulerVerticle(
        new ConnectorScheduler(
            host.store,
            host.store.schedules(),
            new ControllerRuns(host.controller),
            Clock.system(),
            timers,
            new Ids(Clock.system(), Randomness.system()),
            options),
        null,
        null,
        timers,
        options)));
  }

  private void every(int seconds) {
    assertThat(owner
            .put("/_ref/connectors/shelf/schedule", "{\"interval_seconds\": " + seconds + "}")
            .status())
        .isEqualTo(200);
  }

  /** Waits until the scheduler has put its next look at the schedule after {@code then}. */
  private void awaitLookAfter(Instant then) {
    owner.awaitBody("/_ref/connectors/shelf/schedule", schedule -> OwnerHost.await(
            scene.hosts.get(0).store.schedules().find("shelf"))
        .orElseThrow()
        .checkAt()
        .isAfter(then));
  }

  /** Whether a connector has written down its run: it makes the file first. */
  private boolean isLaunched() {
    return Files.exists(launches) && launches.toFile().length() > 0;
  }

  private static String failed(String error) {
    return "echo '{\"type\":\"DONE\",\"status\":\"failed\",\"records_emitted\":0,\"error\":" + error
        + "}'\nexit 1\n";
  }

  /** The runs with this status, the newest first, once there are any. */
  private JsonArray runs(String status) {
    return owner
        .awaitBody(
            "/_ref/runs?status=" + status, list -> !list.getJsonArray("data").isEmpty())
        .getJsonArray("data");
  }

  /** Waits until the scheduler has looked at the schedule after the run's end, and left it until the next is due. */
  private void awaitNextDue() {
    owner.awaitBody(
        "/_ref/connectors/shelf/schedule",
        schedule -> schedule.getValue("active_run_id") == null
            && OwnerHost.await(scene.hosts.get(0).store.schedules().find("shelf"))
                .orElseThrow()
                .checkAt()
                .equals(schedule.getInstant("next_due_at")));
  }

  @Test
  void R8_S1_a_run_that_succeeds_is_kept_with_everything_its_runtime_handed_back() {
    schedule(RECORD + STATE + SKIP + done(1), 3_600);

    JsonObject run = runs("succeeded").getJsonObject(0);

    JsonObject handle = owner.get("/_ref/runs/" + run.getString("run_id")).body();
    assertThat(launches).hasContent(run.getString("run_id"));
    assertThat(run.getString("trace_id")).isEqualTo(handle.getString("trace_id"));
    assertThat(run.getString("source")).isEqualTo("scheduled");
    assertThat(run.getInteger("attempt")).isEqualTo(1);
    assertThat(run.getInteger("records_emitted")).isEqualTo(1);
    assertThat(run.getJsonObject("checkpoint_summary").getMap())
        .containsEntry("commit_status", "committed")
        .containsEntry("state_streams_staged", 1)
        .containsEntry("state_streams_committed", 1)
        .containsEntry("records_flushed", 1);
    assertThat(run.getJsonArray("known_gaps"))
        .isEqualTo(handle.getJsonArray("known_gaps"))
        .hasSize(1);
    assertThat(run.getJsonArray("known_gaps").getJsonObject(0).getString("reason"))
        .isEqualTo("page_locked");
    assertThat(run.getJsonObject("state")).isEqualTo(new JsonObject("{\"books\": {\"page\": 1}}"));
    JsonObject listed =
        owner.get("/_ref/connectors?limit=1").body().getJsonArray("data").getJsonObject(0);
    assertThat(listed.getJsonObject("last_run")).isEqualTo(run);
    assertThat(listed.getInteger("total_runs")).isEqualTo(1);
  }

  @Test
  void R8_S2_a_failure_that_the_connector_calls_passing_is_tried_again_until_it_succeeds() {
    schedule(
        "[ $(wc -l < " + launches + ") = 2 ] || {\n"
            + failed("{\"code\":\"source_down\",\"message\":\"later\",\"retryable\":true}") + "}\n"
            + RECORD + done(1),
        3_600);

    JsonObject second = runs("succeeded").getJsonObject(0);
    JsonObject first = runs("failed").getJsonObject(0);
    awaitNextDue();

    assertThat(first.getInteger("attempt")).isEqualTo(1);
    assertThat(first.getJsonObject("connector_error").getString("code")).isEqualTo("source_down");
    assertThat(second.getInteger("attempt")).isEqualTo(2);
    assertThat(second.getString("trigger_kind")).isEqualTo("retry");
    assertThat(launches).content().hasLineCount(2);
  }

  @Test
  void R8_S3_a_failure_that_the_connector_calls_final_is_kept_whole_and_not_tried_again() {
    schedule(
        STATE + SKIP + failed("{\"code\":\"page_gone\",\"message\":\"moved\",\"retryable\":false}"),
        3_600);

    JsonObject run = runs("failed").getJsonObject(0);
    awaitNextDue();

    assertThat(launches).content().hasLineCount(1);
    assertThat(run.getString("terminal_reason")).isEqualTo("connector_reported_failed");
    assertThat(run.getString("failure_reason")).isEqualTo("connector_reported_failed");
    assertThat(run.getJsonObject("connector_error").getMap())
        .containsEntry("code", "page_gone")
        .containsEntry("message", "moved")
        .containsEntry("retryable", false);
    assertThat(run.getJsonObject("checkpoint_summary").getMap())
        .containsEntry("commit_status", "not_committed")
        .containsEntry("state_streams_staged", 1)
        .containsEntry("state_streams_committed", 0);
    assertThat(run.getJsonArray("known_gaps").stream()
            .map(gap -> ((JsonObject) gap).getString("kind")))
        .containsExactlyInAnyOrder("skip_result", "run_failed");
  }

  @Test
  void R8_S3_a_protocol_violation_is_not_tried_again() {
    schedule("echo nonsense\n", 3_600);

    JsonObject run = runs("failed").getJsonObject(0);
    awaitNextDue();

    assertThat(launches).content().hasLineCount(1);
    assertThat(run.getString("failure_reason")).isEqualTo("connector_protocol_violation");
  }

  @Test
  void R8_S4_a_schedule_slower_than_its_interval_launches_no_second_child_and_skips_nothing() {
    schedule(waiting(), 1);
    JsonObject run = runs("active").getJsonObject(0);
    Instant started = Instant.parse(run.getString("started_at"));

    awaitLookAfter(started.plusSeconds(2)); // due, and found running
    owner.awaitRun(run.getString("run_id"), launched -> isLaunched());

    assertThat(launches).content().hasLineCount(1);
    assertThat(owner.get("/_ref/runs?status=skipped").body().getJsonArray("data"))
        .isEmpty();
  }

  @Test
  void R8_S4_R8_S7_a_tick_during_the_owner_s_run_launches_no_second_child_and_says_why() {
    start(waiting());
    owner.awaitRun(owner.run("shelf"), run -> isLaunched());
    every(1);

    JsonObject skipped = runs("skipped").getJsonObject(0);
    assertThat(skipped.getString("run_id")).as("a handle that nothing resolves").isNull();
    assertThat(skipped.getString("trace_id")).isNull();

    assertThat(launches).content().hasLineCount(1);
    assertThat(skipped.getString("error"))
        .isEqualTo("run_already_active: " + runs("active").getJsonObject(0).getString("run_id"));
    assertThat(owner.post("/_ref/connectors/shelf/run").code()).isEqualTo("run_already_active");
  }

  @Test
  void R8_S6_R8_S7_a_child_that_leaves_with_its_question_open_holds_the_schedule_until_run_now() {
    schedule(
        "echo '{\"type\":\"INTERACTION\",\"request_id\":\"q1\",\"kind\":\"otp\",\"message\":\"The code\"}'\n"
            + "exit 4\n",
        3_600);

    owner.awaitBody("/_ref/runs?status=skipped", list -> list.getJsonArray("data").stream()
        .map(run -> ((JsonObject) run).getString("error"))
        .anyMatch("attention_unresolved: connector_exit_without_done"::equals));

    assertThat(launches).content().hasLineCount(1);
    JsonObject schedule = owner.get("/_ref/connectors/shelf/schedule").body();
    assertThat(schedule.getBoolean("human_attention_needed")).isTrue();
    assertThat(schedule.getString("ineligibility_reason")).startsWith("attention_unresolved");
    assertThat(schedule.getValue("next_due_at")).isNull();
    assertThat(owner.post("/_ref/connectors/shelf/run").status()).isEqualTo(202);
  }
}
