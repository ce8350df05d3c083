package dev.runlane.connector.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.controller.OwnerClient.Answer;
import dev.runlane.connector.process.os.HostProcesses;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredRecord;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.RunTimeline.RunBounds;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.RunlaneRole;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("the controller, over HTTP, on Postgres, with real children")
class ControllerTest extends OwnerCase {
  /** What a cancellation that finds no run must leave alone. */
  private static final Set<String> CONNECTOR_TABLES = Set.of(
      "controller_active_runs",
      "spine_events",
      "run_history",
      "records",
      "record_changes",
      "connector_state",
      "connector_schedules",
      "connector_grants",
      "scheduler_last_run_times");

  private static final String RECORD =
      "echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"1\","
          + "\"emitted_at\":\"2026-01-01T00:00:00Z\",\"data\":{\"isbn\":\"1\"}}'\n";
  private static final String STATE =
      "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"page\":1}}'\n";
  private static final String DONE =
      "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":1}'\n";
  private static final String SUCCEEDING = "read -r start\n" + RECORD + STATE + DONE;
  private static final String ASKING = "read -r start\n"
      + "echo '{\"type\":\"INTERACTION\",\"request_id\":\"q1\",\"kind\":\"otp\","
      + "\"message\":\"The code\",\"timeout_seconds\":600}'\n"
      + "read -r answer\n"
      + "case $answer in *31415926*) ;; *) exit 9 ;; esac\n"
      + "echo \"{\\\"type\\\":\\\"PROGRESS\\\",\\\"message\\\":\\\"was told 31415926\\\"}\"\n"
      + RECORD + DONE;

  private @Nullable CapturedErrors captured;

  @AfterEach
  void endCapture() {
    if (captured != null) {
      captured.close();
    }
  }

  @Test
  void R6_S1_a_run_now_is_stored_and_answered_with_its_ids() {
    connector("shelf", waiting());
    OwnerClient owner = start();

    Answer answer = owner.post("/_ref/connectors/shelf/run");

    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.body().getString("run_id")).startsWith("run_");
    assertThat(answer.body().getString("trace_id")).startsWith("trc_");
    assertThat(answer.body().getString("status")).isEqualTo("started");
    assertThat(answer.body().getString("trigger_kind")).isEqualTo("manual");
    ActiveRun row = row("shelf");
    assertThat(row.run().runId()).isEqualTo(answer.body().getString("run_id"));
    assertThat(row.run().traceId()).isEqualTo(answer.body().getString("trace_id"));
    assertThat(row.controller().pid()).isEqualTo(ProcessHandle.current().pid());
  }

  @Test
  void R6_S1_a_run_ends_with_its_records_cursors_and_outcome_stored() {
    connector("shelf", SUCCEEDING);
    OwnerClient owner = start();

    String runId = owner.run("shelf");

    JsonObject run = owner.ended(runId);
    assertThat(run.getString("status")).isEqualTo("completed");
    assertThat(
            OwnerHost.await(scene.hosts.get(0).store.records().records("shelf", "books", "", 10)))
        .extracting(StoredRecord::key)
        .containsExactly("1");
    assertThat(OwnerClient.events(owner.timeline(runId)))
        .startsWith("run.started")
        .contains("run.state_staged")
        .endsWith("run.completed");
    assertThat(owner.get("/_ref/connectors/shelf/state").body().getJsonObject("state"))
        .isEqualTo(new JsonObject("{\"books\": {\"page\": 1}}"));
    assertThat(OwnerHost.await(scene.hosts.get(0).runlane.awaitRun(runId, SOON))
            .status()
            .value())
        .isEqualTo("succeeded");
    assertThat(scene.hosts.get(0).observed)
        .startsWith("shelf run.started")
        .contains("shelf run.batch_ingested")
        .endsWith("shelf run.completed");
  }

  @Test
  void R6_S1_an_unknown_connector_and_one_that_cannot_run_are_not_found() {
    Folders.described(scene.polyfills, "described", "1");
    OwnerClient owner = start();

    for (String id : List.of("unknown", "described", "a%2Fb")) {
      Answer answer = owner.post("/_ref/connectors/" + id + "/run");
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.code()).isEqualTo("not_found");
    }
    assertThat(owner.get("/_ref/runs").body().getJsonArray("data")).isEmpty();
  }

  @Test
  void R6_S2_a_connector_that_is_active_is_refused_with_its_run() {
    connector("shelf", waiting());
    connector("other", waiting());
    OwnerClient owner = start();
    String active = owner.run("shelf");

    Answer answer = owner.post("/_ref/connectors/shelf/run");

    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.code()).isEqualTo("run_already_active");
    assertThat(answer.error().getString("run_id")).isEqualTo(active);
    assertThat(answer.error().getString("message")).contains(active);
    assertThat(owner.run("other")).isNotEqualTo(active);
  }

  @Test
  void R6_S2_of_many_who_start_at_once_one_wins() {
    Path pids = registries.resolve("pids");
    connector("shelf", waiting(pids));
    List<OwnerClient> owners = List.of(start(), start());

    List<Answer> answers = List.of(1, 2, 3, 4, 5, 6, 7, 8).parallelStream()
        .map(i -> owners.get(i % 2).post("/_ref/connectors/shelf/run"))
        .toList();

    assertThat(answers).extracting(Answer::status).containsOnlyOnce(202).containsOnly(202, 409);
    String winner = row("shelf").run().runId();
    assertThat(answers).allSatisfy(answer -> assertThat(
            answer.status() == 202
                ? answer.body().getString("run_id")
                : answer.error().getString("run_id"))
        .isEqualTo(winner));
    owners.get(0).awaitEvent(winner, "run.state_staged");
    assertThat(pids).content().hasLineCount(1);
  }

  @Test
  void R6_S3_an_answer_to_the_current_question_is_delivered_and_kept_nowhere() {
    connector("shelf", ASKING);
    OwnerClient owner = start();
    String runId = owner.run("shelf");
    owner.awaitEvent(runId, "run.interaction_required");

    Answer answer = owner.post(
        "/_ref/runs/" + runId + "/interaction",
        "{\"interaction_id\": \"q1\", \"status\": \"success\", \"data\": {\"code\": \"31415926\"}}");

    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.body())
        .isEqualTo(new JsonObject()
            .put("object", "run_interaction_ack")
            .put("run_id", runId)
            .put("interaction_id", "q1")
            .put("status", "success"));
    assertThat(owner.ended(runId).getString("status")).isEqualTo("completed");
    assertThat(owner.timeline(runId).encode()).contains("was told").doesNotContain("31415926");
    OwnerHost.await(scene.hosts.get(0).runlane.awaitRun(runId, SOON));
    assertThat(scene.stored().values()).isNotEmpty().noneMatch(rows -> rows.contains("31415926"));
  }

  @Test
  void R6_S4_an_answer_that_nobody_waits_for_is_refused() {
    Path told = registries.resolve("told");
    connector("shelf", ASKING);
    connector(
        "silent",
        "read -r start\n" + RECORD + STATE + "read -r more; echo \"$more\" > " + told + "\n");
    connector("quick", SUCCEEDING);
    OwnerClient owner = start();
    String asking = owner.run("shelf");
    String silent = owner.run("silent");
    String finished = owner.run("quick");
    owner.ended(finished);
    owner.awaitEvent(asking, "run.interaction_required");
    owner.awaitEvent(silent, "run.state_staged");
    String answer =
        "{\"interaction_id\": \"%s\", \"status\": \"success\", \"data\": {\"code\": \"%s\"}}";

    assertRefused(owner, "run_unknown", answer.formatted("q1", "1"), 404, "not_found");
    assertRefused(owner, finished, answer.formatted("q1", "1"), 404, "not_found");
    assertRefused(owner, silent, answer.formatted("q1", "1"), 409, "no_pending_interaction");
    assertRefused(owner, asking, answer.formatted("q0", "1"), 409, "interaction_id_mismatch");
    assertRefused(owner, asking, "{\"interaction_id\": \"q1\"}", 400, "invalid_request");
    assertRefused(
        owner,
        asking,
        "{\"interaction_id\": \"q1\", \"status\": \"timeout\"}",
        400,
        "invalid_status");

    assertThat(OwnerClient.events(owner.timeline(asking)))
        .doesNotContain("run.interaction_completed");
    assertThat(told).doesNotExist();
    assertThat(owner
            .post("/_ref/runs/" + asking + "/interaction", answer.formatted("q1", "31415926"))
            .status())
        .isEqualTo(202);
    assertThat(owner.ended(asking).getString("status"))
        .as("the first line its child reads is the right answer")
        .isEqualTo("completed");
  }

  @Test
  void R6_S4_an_answer_reaches_the_child_through_any_process() {
    connector("shelf", ASKING);
    OwnerClient first = start();
    RunlaneDeployment routesOnly =
        new RunlaneDeployment().setRoles(Set.of(RunlaneRole.OUTBOX_PUBLISHER));
    OwnerClient second = start(routesOnly);
    String runId = first.run("shelf");
    second.awaitEvent(runId, "run.interaction_required");

    Answer answer = second.post(
        "/_ref/runs/" + runId + "/interaction",
        "{\"interaction_id\": \"q1\", \"status\": \"success\", \"data\": {\"code\": \"31415926\"}}");

    assertThat(answer.status()).isEqualTo(202);
    assertThat(second.ended(runId).getString("status")).isEqualTo("completed");
  }

  @Test
  void R6_S5_a_cancellation_ends_that_run_alone() throws Exception {
    Path child = registries.resolve("child");
    Path other = registries.resolve("other");
    connector("shelf", waiting(child));
    connector("other", waiting(other));
    OwnerClient owner = start();
    String cancelled = owner.run("shelf");
    String sibling = owner.run("other");
    owner.awaitEvent(cancelled, "run.state_staged");
    owner.awaitEvent(sibling, "run.state_staged");
    ActiveRun before = row("other");

    Answer answer = owner.post("/_ref/runs/" + cancelled + "/cancel");
    Answer again = owner.post("/_ref/runs/" + cancelled + "/cancel");

    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.body().getString("object")).isEqualTo("run_cancel_ack");
    assertThat(answer.body().getString("run_id")).isEqualTo(cancelled);
    assertThat(answer.body().getString("status")).isEqualTo("cancel_requested");
    assertThat(again.status()).isIn(202, 409);
    JsonObject run = owner.ended(cancelled);
    assertThat(run.getString("status")).isEqualTo("cancelled");
    assertThat(run.getString("terminal_reason")).isEqualTo("owner_cancelled");
    assertThat(OwnerClient.events(owner.timeline(cancelled)))
        .containsOnlyOnce("run.cancel_requested")
        .endsWith("run.cancelled");
    assertThat(owner.get("/_ref/runs/" + sibling).body().getString("status")).isEqualTo("active");
    assertThat(OwnerClient.events(owner.timeline(sibling))).doesNotContain("run.cancel_requested");
    assertThat(row("other")).isEqualTo(before);
    assertThat(isAlive(child)).isFalse();
    assertThat(isAlive(other)).isTrue();
  }

  @Test
  void R6_S5_a_cancellation_reaches_the_child_through_any_process() throws Exception {
    Path child = registries.resolve("child");
    connector("shelf", waiting(child));
    OwnerClient first = start();
    String runId = first.run("shelf");
    first.awaitEvent(runId, "run.state_staged");
    OwnerClient second =
        start(new RunlaneDeployment().setRoles(Set.of(RunlaneRole.OUTBOX_PUBLISHER)));

    assertThat(second.post("/_ref/runs/" + runId + "/cancel").status()).isEqualTo(202);

    assertThat(second.ended(runId).getString("terminal_reason")).isEqualTo("owner_cancelled");
    assertThat(OwnerClient.events(second.timeline(runId)))
        .containsOnlyOnce("run.cancel_requested")
        .endsWith("run.cancelled");
    assertThat(isAlive(child)).isFalse();
  }

  @Test
  void R6_S5_a_cancellation_that_cannot_be_stored_ends_the_child_nevertheless() throws Exception {
    Path child = registries.resolve("child");
    connector("shelf", waiting(child));
    OwnerClient owner = start();
    String runId = owner.run("shelf");
    owner.awaitEvent(runId, "run.state_staged");
    scene.alter("CREATE FUNCTION {s}.refuse() RETURNS trigger LANGUAGE plpgsql AS"
        + " $$ BEGIN RAISE EXCEPTION 'refused'; END $$");
    scene.alter("CREATE TRIGGER refuse BEFORE UPDATE OF cancel_requested_at"
        + " ON {s}.controller_active_runs FOR EACH ROW EXECUTE FUNCTION {s}.refuse()");

    OwnerHost.await(
        scene.hosts.get(0).runlane.runs().cancel(runId, RunActionOptions.by("operator")));

    assertThat(owner.ended(runId).getString("status")).isEqualTo("cancelled");
    assertThat(isAlive(child)).isFalse();
  }

  @Test
  void R6_S5_a_cancellation_of_which_nobody_told_the_child_s_process_is_seen_there()
      throws Exception {
    Path child = registries.resolve("child");
    connector("shelf", waiting(child));
    OwnerClient owner = start();
    String runId = owner.run("shelf");
    owner.awaitEvent(runId, "run.state_staged");
    RunEvents events = new RunEvents(Clock.system(), new Ids(Clock.system(), Randomness.system()));

    OwnerHost.await(store().activeRuns().requestCancel(events.cancelRequested(runId, null)));

    assertThat(owner.ended(runId).getString("status")).isEqualTo("cancelled");
    assertThat(isAlive(child)).isFalse();
  }

  @Test
  void R6_S6_a_cancellation_of_a_missing_or_finished_run_changes_nothing() {
    connector("shelf", SUCCEEDING);
    connector("other", waiting());
    OwnerClient owner = start();
    String finished = owner.run("shelf");
    owner.ended(finished);
    owner.awaitEvent(owner.run("other"), "run.state_staged");
    owner.put("/_ref/connectors/shelf/schedule", "{\"interval_seconds\": 7200}");
    OwnerHost.await(store()
        .grants()
        .put(
            new Grant("grant-1", "shelf", GrantAccessMode.CONTINUOUS, GrantState.ACTIVE, null),
            Instant.now()));
    Map<String, String> before = scene.stored();
    before.keySet().retainAll(CONNECTOR_TABLES);
    assertThat(before.keySet()).containsExactlyInAnyOrderElementsOf(CONNECTOR_TABLES);
    assertThat(before.values()).noneMatch(String::isEmpty);

    Answer missing = owner.post("/_ref/runs/run_missing/cancel");
    Answer ended = owner.post("/_ref/runs/" + finished + "/cancel");

    assertThat(missing.status()).isEqualTo(404);
    assertThat(missing.code()).isEqualTo("no_active_run");
    assertThat(ended.status()).isEqualTo(409);
    assertThat(ended.code()).isEqualTo("already_terminal");
    assertThat(scene.stored()).containsAllEntriesOf(before);
  }

  @Test
  void R6_S7_a_cancelled_run_frees_its_connector_and_no_other() {
    connector("shelf", waiting());
    connector("other", waiting());
    OwnerClient owner = start();
    String cancelled = owner.run("shelf");
    owner.awaitEvent(owner.run("other"), "run.started");
    ActiveRun sibling = row("other");
    owner.awaitEvent(cancelled, "run.started");

    owner.post("/_ref/runs/" + cancelled + "/cancel");
    owner.ended(cancelled);

    assertThat(OwnerHost.await(store().activeRuns().list())).containsExactly(sibling);
    assertThat(owner.run("shelf")).isNotEqualTo(cancelled);
    assertThat(row("other")).isEqualTo(sibling);
  }

  @Test
  void R6_S5_a_run_that_nobody_has_begun_can_be_cancelled() {
    connector("shelf", waiting());
    OwnerClient owner =
        start(new RunlaneDeployment().setRoles(Set.of(RunlaneRole.OUTBOX_PUBLISHER)));
    String runId = owner.run("shelf");
    assertThat(owner.get("/_ref/runs/" + runId).body().getString("status")).isEqualTo("active");

    assertThat(owner.post("/_ref/runs/" + runId + "/cancel").status()).isEqualTo(202);

    assertThat(owner.ended(runId).getString("terminal_reason")).isEqualTo("owner_cancelled");
    assertThat(OwnerClient.events(owner.timeline(runId)))
        .containsExactly("run.cancel_requested", "run.cancelled");
    assertThat(owner.post("/_ref/connectors/shelf/run").status()).isEqualTo(202);
  }

  @Test
  void R6_S8_R3_S5_runs_of_a_killed_controller_are_abandoned_at_the_next_start() throws Exception {
    Path pids = registries.resolve("pids");
    connector(
        "shelf",
        stubbornChild(pids) + records(0, 1_200) + STATE + records(1_200, 700)
            + STATE.replace("1}", "2}") + records(1_900, 300) + "exec sleep 600\n");
    String lost;
    try (Killed killed = new Killed()) {
      OwnerClient owner = new OwnerClient(killed.port);
      lost = owner.run("shelf");
      owner.awaitBody(
          "/_ref/runs/" + lost + "/timeline",
          timeline -> count(timeline.getJsonArray("data"), "run.state_staged") == 2);
    }

    OwnerClient owner = start();

    JsonObject run = owner.get("/_ref/runs/" + lost).body();
    assertThat(run.getString("status")).isEqualTo("abandoned");
    assertThat(run.getJsonObject("failure").getString("reason"))
        .isEqualTo(run.getString("terminal_reason"));
    assertThat(run.getString("terminal_reason"))
        .isEqualTo("controller_terminated_before_run_finished");
    for (String child : Files.readAllLines(pids)) {
      assertThat(HostProcesses.here().find(Long.parseLong(child)))
          .as("child %s", child)
          .isEmpty();
    }
    assertThat(OwnerHost.await(
            scene.hosts.get(0).store.records().records("shelf", "books", "", 10_000)))
        .as("flushed records are kept, and what was never flushed is not there")
        .hasSize(1_900)
        .extracting(StoredRecord::version)
        .containsOnly(1L);
    assertThat(OwnerHost.await(store().states().show(StateScope.of(ConnectorRef.of("shelf")))))
        .as("staged cursors are not committed")
        .isEmpty();
    assertThat(OwnerClient.events(owner.timeline(lost)))
        .containsOnlyOnce("run.abandoned")
        .endsWith("run.abandoned")
        .doesNotContain("run.state_advanced");
    assertThat(terminal(owner, lost).getMap())
        .containsEntry("records_emitted", 1_900)
        .containsEntry("records_attempted", 1_900)
        .containsEntry("records_flushed", 1_900)
        .containsEntry("records_permanently_rejected", 0)
        .containsEntry("checkpoint_mode", "checkpointed_streaming")
        .containsEntry("checkpoint_commit_status", "not_committed")
        .containsEntry("state_streams_staged", 1)
        .containsEntry("state_streams_committed", 0)
        .containsEntry("persist_state", true);
    assertThat(owner
            .get("/_ref/runs")
            .body()
            .getJsonArray("data")
            .getJsonObject(0)
            .getLong("records_emitted"))
        .isEqualTo(1_900);
    String next = owner.run("shelf");
    owner.awaitEvent(next, "run.state_staged");
    assertThat(next).isNotEqualTo(lost);
  }

  @Test
  void R6_S8_runs_of_a_controller_that_lives_are_left_alone() {
    connector("shelf", waiting());
    OwnerClient first = start();
    String runId = first.run("shelf");
    first.awaitEvent(runId, "run.started");

    OwnerClient second = start();

    assertThat(second.get("/_ref/runs/" + runId).body().getString("status")).isEqualTo("active");
    assertThat(second.post("/_ref/connectors/shelf/run").code()).isEqualTo("run_already_active");
  }

  @Test
  void R6_S8_a_controller_that_stops_ends_its_runs_as_abandoned() throws Exception {
    Path child = registries.resolve("child");
    connector("shelf", waiting(child));
    String runId = start().run("shelf");
    new OwnerClient(scene.hosts.get(0).port).awaitEvent(runId, "run.state_staged");
    scene.hosts.remove(0).close();
    assertThat(isAlive(child)).isFalse();

    OwnerClient owner = start();

    assertThat(owner.get("/_ref/runs/" + runId).body().getString("status")).isEqualTo("abandoned");
    assertThat(OwnerClient.events(owner.timeline(runId)))
        .containsOnlyOnce("run.abandoned")
        .endsWith("run.abandoned");
    assertThat(owner.post("/_ref/connectors/shelf/run").status()).isEqualTo(202);
  }

  @Test
  void R6_S9_a_schedule_is_made_listed_paused_resumed_and_deleted() {
    connector("shelf", SUCCEEDING);
    OwnerClient owner = start();
    String path = "/_ref/connectors/shelf/schedule";
    assertThat(owner.get(path).status()).isEqualTo(404);

    OwnerClient another = start();

    Answer made = owner.put(path, "{\"interval_seconds\": 7200, \"jitter_seconds\": 60}");
    JsonObject madeListed = connectorsEntry(another, "shelf");
    Answer paused = owner.post(path + "/pause");
    JsonObject listed = connectorsEntry(another, "shelf");
    Answer resumed = owner.post("/_ref/connections/shelf/schedule/resume");
    JsonObject schedules = another.get("/_ref/schedules").body();
    Answer deleted = owner.delete(path);

    assertThat(made.status()).isEqualTo(200);
    assertThat(made.body().getString("object")).isEqualTo("schedule");
    assertThat(made.body().getInteger("interval_seconds")).isEqualTo(7200);
    assertThat(made.body().getInteger("jitter_seconds")).isEqualTo(60);
    assertThat(made.body().getBoolean("enabled")).isTrue();
    assertThat(made.body().getInstant("next_due_at")).isNotNull();
    assertThat(madeListed.getJsonObject("schedule")).isEqualTo(made.body());
    assertThat(paused.body().getBoolean("enabled")).isFalse();
    assertThat(paused.body().getString("effective_mode")).isEqualTo("paused");
    assertThat(paused.body().getValue("next_due_at")).isNull();
    assertThat(listed.getJsonObject("schedule")).isEqualTo(paused.body());
    assertThat(resumed.body().getBoolean("enabled")).isTrue();
    assertThat(schedules.getJsonArray("data")).containsExactly(resumed.body());
    assertThat(deleted.status()).isEqualTo(204);
    assertThat(owner.get(path).status()).isEqualTo(404);
    assertThat(owner.delete(path).status()).isEqualTo(404);
    assertThat(owner.post(path + "/pause").status()).isEqualTo(404);
    assertThat(connectorsEntry(another, "shelf").getValue("schedule")).isNull();
  }

  @Test
  void R6_S9_a_schedule_that_cannot_be_is_refused() {
    connector("shelf", SUCCEEDING);
    OwnerClient owner = start();

    for (String body : List.of(
        "{}",
        "{\"interval_seconds\": 0}",
        "{\"interval_seconds\": 1.5}",
        "{\"interval_seconds\": 60, \"jitter_seconds\": -1}",
        "{\"interval_seconds\": 60, \"enabled\": \"yes\"}",
        "{\"interval_seconds\": 1e300}")) {
      Answer answer = owner.put("/_ref/connectors/shelf/schedule", body);
      assertThat(answer.status()).as(body).isEqualTo(400);
      assertThat(answer.code()).isEqualTo("invalid_request");
    }
    assertThat(owner
            .put("/_ref/connectors/unknown/schedule", "{\"interval_seconds\": 60}")
            .status())
        .isEqualTo(404);
    assertThat(owner.get("/_ref/schedules").body().getJsonArray("data")).isEmpty();
  }

  @Test
  void R6_S10_a_schedule_tells_the_policy_and_where_its_connector_is() {
    connector("shelf", waiting());
    OwnerClient owner = start();
    Answer made = owner.put("/_ref/connectors/shelf/schedule", "{\"interval_seconds\": 60}");
    String runId = owner.run("shelf");
    owner.awaitEvent(runId, "run.started");

    JsonObject active = owner.get("/_ref/connectors/shelf/schedule").body();
    JsonObject activeListed = connectorsEntry(owner, "shelf");
    owner.post("/_ref/runs/" + runId + "/cancel");
    owner.ended(runId);
    JsonObject after = owner.get("/_ref/schedules").body().getJsonArray("data").getJsonObject(0);

    assertThat(made.body().getString("policy_warning")).isNotBlank();
    assertThat(active.getJsonObject("recommended_policy").getInteger("minimum_interval_seconds"))
        .isEqualTo(600);
    assertThat(active.getString("active_run_id")).isEqualTo(runId);
    assertThat(activeListed.getString("active_run_id")).isEqualTo(runId);
    assertThat(activeListed.getJsonObject("schedule")).isEqualTo(active);
    assertThat(active.getInstant("last_started_at")).isNotNull();
    assertThat(active.getString("effective_mode")).isEqualTo("automatic");
    assertThat(active.getBoolean("human_attention_needed")).isFalse();
    assertThat(after.getValue("active_run_id")).isNull();
    assertThat(after.getInstant("last_finished_at")).isNotNull();
    assertThat(after.getValue("last_successful_at")).isNull();
    assertThat(after.getInstant("next_due_at"))
        .isEqualTo(after.getInstant("last_finished_at").plusSeconds(60));
    JsonObject listed = connectorsEntry(owner, "shelf");
    assertThat(listed.getJsonObject("refresh_policy").getString("recommended_mode"))
        .isEqualTo("automatic");
    assertThat(listed.getJsonObject("last_run").getString("run_id")).isEqualTo(runId);
  }

  @Test
  void R11_S1_an_acknowledged_run_resolves_before_it_has_begun() {
    connector("shelf", waiting());
    OwnerClient owner =
        start(new RunlaneDeployment().setRoles(Set.of(RunlaneRole.OUTBOX_PUBLISHER)));
    Answer accepted = owner.post("/_ref/connectors/shelf/run");
    String runId = accepted.body().getString("run_id");

    Answer answer = owner.get("/_ref/runs/" + runId);

    assertThat(answer.status()).isEqualTo(200);
    JsonObject run = answer.body();
    assertThat(run.getString("object")).isEqualTo("run_status");
    assertThat(run.getString("status")).isEqualTo("active");
    assertThat(run.getString("run_id")).isEqualTo(runId);
    assertThat(run.getString("trace_id")).isEqualTo(accepted.body().getString("trace_id"));
    assertThat(run.getString("connector_id")).isEqualTo("shelf");
    assertThat(run.getString("connector_instance_id")).isEqualTo("shelf");
    assertThat(run.getInstant("started_at")).isEqualTo(row("shelf").startedAt());
    assertThat(run.getValue("completed_at")).isNull();
    assertThat(run.getValue("terminal_reason")).isNull();
    assertThat(run.getValue("failure")).isNull();
    assertThat(run.getJsonObject("links").getString("timeline"))
        .isEqualTo("/_ref/runs/" + runId + "/timeline");
    assertThat(owner.get("/_ref/runs/" + runId + "/timeline").status()).isEqualTo(200);
  }

  @Test
  void R11_handles_that_schedules_and_cancellations_tell_resolve_too() {
    connector("shelf", waiting());
    OwnerClient owner = start();
    owner.put("/_ref/connectors/shelf/schedule", "{\"interval_seconds\": 3600}");
    String runId = owner.run("shelf");
    owner.awaitEvent(runId, "run.state_staged");

    String scheduled =
        owner.get("/_ref/connectors/shelf/schedule").body().getString("active_run_id");
    Answer cancelled = owner.post("/_ref/runs/" + runId + "/cancel");

    assertThat(scheduled).isEqualTo(runId);
    assertThat(cancelled.body().getString("run_id")).isEqualTo(runId);
    assertThat(owner.get("/_ref/runs/" + scheduled).status()).isEqualTo(200);
    assertThat(owner.ended(runId).getString("status")).isEqualTo("cancelled");
    String last = connectorsEntry(owner, "shelf").getJsonObject("last_run").getString("run_id");
    assertThat(owner.get("/_ref/runs/" + last).body().getString("status")).isEqualTo("cancelled");
  }

  @Test
  void R11_S1_a_run_that_was_started_and_has_no_row_is_active_until_its_terminal_event() {
    RecordedEvent started = recorded(TimelineEventType.STARTED);
    RecordedEvent ended = recorded(TimelineEventType.ABANDONED);

    RunView going = RunView.of(
            Optional.empty(), new RunBounds(Optional.of(started), Optional.empty()))
        .orElseThrow();
    RunView over = RunView.of(
            Optional.empty(), new RunBounds(Optional.of(started), Optional.of(ended)))
        .orElseThrow();

    assertThat(going.status()).isEqualTo(RunView.Status.ACTIVE);
    assertThat(going.run()).isEqualTo(started.run());
    assertThat(going.startedAt()).isEqualTo(started.event().occurredAt());
    assertThat(over.status()).isEqualTo(RunView.Status.ABANDONED);
  }

  private static RecordedEvent recorded(TimelineEventType type) {
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    Ids ids = new Ids(Clock.system(), Randomness.system());
    TimelineEvent event = TimelineEvent.of(ids, type, "told", now, Json.ofChecked("{}"));
    return new RecordedEvent(
        1, new RunIdentity("run_1", "trc_1", ConnectorRef.of("shelf")), event, now);
  }

  @Test
  void R11_S2_a_run_that_succeeded_resolves_without_its_row() {
    connector("shelf", SUCCEEDING);
    OwnerClient owner = start();

    JsonObject run = owner.ended(owner.run("shelf"));

    assertThat(OwnerHost.await(store().activeRuns().findByInstance("shelf"))).isEmpty();
    assertThat(run.getString("status")).isEqualTo("completed");
    assertThat(run.getValue("terminal_reason")).isNull();
    assertThat(run.getValue("failure")).isNull();
    assertThat(run.getInstant("completed_at")).isAfterOrEqualTo(run.getInstant("started_at"));
  }

  @Test
  void R11_S2_a_failed_run_resolves_with_its_typed_failure_and_without_its_secrets() {
    scene.environment.put("RUNLANE_SECRET__SHELF__TOKEN", "s3cret-value");
    Folders.runnable(
        scene.polyfills,
        "shelf",
        "1",
        "read -r start\necho \"{\\\"type\\\":\\\"DONE\\\",\\\"status\\\":\\\"failed\\\","
            + "\\\"records_emitted\\\":0,\\\"error\\\":{\\\"code\\\":\\\"source_down\\\","
            + "\\\"message\\\":\\\"no answer to $TOKEN, authorization: Bearer abc.def\\\","
            + "\\\"retryable\\\":true}}\"\nexit 1\n",
        ", \"secrets\": [\"TOKEN\"]");
    OwnerClient owner = start();

    JsonObject run = owner.ended(owner.run("shelf"));

    assertThat(OwnerHost.await(store().activeRuns().findByInstance("shelf"))).isEmpty();
    assertThat(run.encode()).doesNotContain("s3cret-value", "abc.def");
    assertThat(run.getString("status")).isEqualTo("failed");
    assertThat(run.getString("terminal_reason")).isEqualTo("connector_reported_failed");
    assertThat(run.getInstant("completed_at")).isAfterOrEqualTo(run.getInstant("started_at"));
    assertThat(run.getJsonObject("failure").getString("reason"))
        .isEqualTo("connector_reported_failed");
    assertThat(run.getJsonObject("failure").getString("connector_error_message"))
        .startsWith("no answer to [REDACTED]");
  }

  @Test
  void R11_S3_unknown_runs_are_a_typed_404_naming_the_parameter() {
    OwnerClient owner = start();

    for (String id :
        List.of("run_unknown", "a%2Fb", "%25", "x".repeat(10_000), "%00", "%E2%82%AC")) {
      Answer answer = owner.get("/_ref/runs/" + id);

      assertThat(answer.status()).as(id).isEqualTo(404);
      assertThat(answer.code()).isEqualTo("not_found");
      assertThat(answer.error().getString("type")).isEqualTo("not_found_error");
      assertThat(answer.error().getString("param")).isEqualTo("run_id");
      assertThat(answer.error().getString("request_id")).startsWith("req_");
      assertThat(owner.get("/_ref/runs/" + id + "/timeline").status()).isEqualTo(404);
      assertThat(owner.post("/_ref/runs/" + id + "/cancel").code()).isEqualTo("no_active_run");
    }
  }

  @Test
  void a_connector_whose_id_differs_in_punctuation_alone_is_not_given_another_s_secrets() {
    scene.environment.put("RUNLANE_SECRET__MY_SHELF__TOKEN", "s3cret-value");
    for (String id : List.of("my-shelf", "my_shelf")) {
      Folders.runnable(scene.polyfills, id, "1", SUCCEEDING, ", \"secrets\": [\"TOKEN\"]");
    }
    OwnerClient owner = start();

    for (String id : List.of("my-shelf", "my_shelf")) {
      JsonObject run = owner.ended(owner.run(id));

      assertThat(run.getString("terminal_reason")).as(id).isEqualTo("launch_failed");
      assertThat(run.getJsonObject("failure").getString("message"))
          .contains("my-shelf", "my_shelf", "punctuation");
    }
  }

  @Test
  void R11_S4_a_launch_that_crashes_is_logged_and_leaves_a_failed_handle() {
    Folders.runnable(scene.polyfills, "secretless", "1", SUCCEEDING, ", \"secrets\": [\"TOKEN\"]");
    Folders.write(
        Folders.described(scene.polyfills, "programless", "1"),
        "launch.json",
        "{\"command\": [\"" + "no such program ".repeat(100) + "\"]}");
    OwnerClient owner = start();
    captured = CapturedErrors.begin();

    for (String id : List.of("secretless", "programless")) {
      String runId = owner.run(id);

      JsonObject run = owner.ended(runId);
      assertThat(run.getString("status")).as(id).isEqualTo("failed");
      assertThat(run.getString("terminal_reason")).isEqualTo("launch_failed");
      assertThat(run.getJsonObject("failure").getString("message")).hasSizeBetween(1, 500);
      assertThat(captured.lines())
          .as("the log has run and trace")
          .anyMatch(line -> line.contains(runId) && line.contains(run.getString("trace_id")));
      assertThat(OwnerClient.events(owner.timeline(runId))).containsExactly("run.failed");
      JsonObject terminal = terminal(owner, runId);
      assertThat(terminal.getLong("records_emitted")).isZero();
      assertThat(terminal.getLong("records_flushed")).isZero();
      assertThat(terminal.getString("checkpoint_commit_status")).isEqualTo("not_committed");
      assertThat(terminal.getInteger("state_streams_staged")).isZero();
      assertThat(terminal.getInteger("state_streams_committed")).isZero();
      assertThat(terminal.getJsonObject("known_gaps_summary").getInteger("count"))
          .isEqualTo(1);
      assertThat(owner.post("/_ref/connectors/" + id + "/run").status()).isEqualTo(202);
    }
  }

  @Test
  void R11_S5_every_run_has_one_terminal_event() {
    connector("shelf", SUCCEEDING);
    connector("failing", "read -r start\necho nonsense\n");
    OwnerClient owner = start();

    for (String id : List.of("shelf", "failing")) {
      String runId = owner.run(id);
      owner.ended(runId);
      OwnerHost.await(scene.hosts.get(0).runlane.awaitRun(runId, SOON));

      assertThat(OwnerClient.events(owner.timeline(runId)))
          .filteredOn(
              type -> Set.of("run.completed", "run.failed", "run.cancelled", "run.abandoned")
                  .contains(type))
          .hasSize(1);
    }
  }

  @Test
  void a_child_gets_its_secrets_and_its_run_and_nothing_of_them_is_told() {
    scene.environment.put("RUNLANE_SECRET__SHELF__TOKEN", "s3cret-value");
    scene.environment.put("OTHER", "not for children");
    Folders.runnable(
        scene.polyfills,
        "shelf",
        "1",
        "read -r start\n[ \"$TOKEN\" = s3cret-value ] && [ -z \"$OTHER\" ] && [ -n \"$PDPP_RUN_ID\" ]"
            + " || exit 9\necho \"the token is $TOKEN\" >&2\n" + RECORD
            + "echo \"{\\\"type\\\":\\\"PROGRESS\\\",\\\"message\\\":\\\"with $TOKEN\\\"}\"\n"
            + DONE,
        ", \"secrets\": [\"TOKEN\"]");
    OwnerClient owner = start();

    String runId = owner.run("shelf");

    assertThat(owner.ended(runId).getString("status")).isEqualTo("completed");
    assertThat(owner.timeline(runId).encode()).doesNotContain("s3cret-value");
  }

  @Test
  void R1_S2_a_run_now_collects_the_scope_that_the_owner_names() {
    connector(
        "shelf",
        OwnerScene.expecting("\"scope\":{\"streams\":[{\"name\":\"books\",\"resources\":[\"1\"],"
                + "\"fields\":[\"title\",\"isbn\"]}]}")
            + RECORD
            + DONE);
    OwnerClient owner = start();

    Answer answer = owner.post(
        "/_ref/connectors/shelf/run",
        "{\"scope\": {\"streams\": [{\"name\": \"books\", \"fields\": [\"title\"]}]},"
            + " \"resources\": {\"books\": [\"1\"]}}");

    assertThat(answer.status()).isEqualTo(202);
    assertThat(owner.ended(answer.body().getString("run_id")).getString("status"))
        .isEqualTo("completed");
  }

  @Test
  void the_owner_is_asked_for_and_every_refusal_has_the_envelope() {
    connector("shelf", waiting());
    OwnerClient owner = start();

    Answer stranger = owner.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + owner.port() + "/_ref/runs"))
            .build());
    Answer nowhere = owner.get("/_ref/nowhere");
    Answer malformed = owner.post("/_ref/connectors/shelf/run", "{");
    Answer unknown = owner.post("/_ref/connectors/shelf/run", "{\"fource\": true}");
    Answer resources =
        owner.post("/_ref/connectors/shelf/run", "{\"resources\": {\"films\": [\"1\"]}}");
    Answer scope = owner.post(
        "/_ref/connectors/shelf/run", "{\"scope\": {\"streams\": [{\"name\": \"films\"}]}}");
    Answer noScope = owner.post("/_ref/connectors/shelf/run", "{\"scope\": \"books\"}");
    Answer large = owner.send(owner
        .request("/_ref/connectors/shelf/run")
        .POST(BodyPublishers.ofByteArray(new byte[2 << 20]))
        .build());
    Answer limit = owner.get("/_ref/connectors");
    Answer cursor = owner.get("/_ref/runs?cursor=x");
    Answer trailing = owner.post("/_ref/connectors/shelf/run", "{} {}");
    Answer noText = owner.send(owner
        .request("/_ref/connectors/shelf/run")
        .POST(BodyPublishers.ofByteArray(new byte[] {0, 0, 0, '{', 127, -1, -1, -1}))
        .build());
    Answer noId = owner.get("/_ref/runs?connector_id=%00");
    Answer noResource =
        owner.post("/_ref/connectors/shelf/run", "{\"resources\": {\"books\": [\"\\u0000\"]}}");

    assertEnvelope(stranger, 401, "authentication_error");
    assertEnvelope(nowhere, 404, "not_found_error");
    assertEnvelope(malformed, 400, "invalid_request_error");
    assertEnvelope(unknown, 400, "invalid_request_error");
    assertEnvelope(resources, 400, "invalid_request_error");
    assertEnvelope(scope, 400, "invalid_request_error");
    assertEnvelope(noScope, 400, "invalid_request_error");
    assertEnvelope(large, 413, "request_entity_too_large_error");
    assertEnvelope(limit, 400, "invalid_request_error");
    assertEnvelope(cursor, 400, "invalid_request_error");
    assertEnvelope(trailing, 400, "invalid_request_error");
    assertEnvelope(noText, 400, "invalid_request_error");
    assertEnvelope(noId, 400, "invalid_request_error");
    assertEnvelope(noResource, 400, "invalid_request_error");
    assertThat(cursor.code()).isEqualTo("invalid_cursor");
    assertThat(owner.get("/_ref/runs").body().getJsonArray("data")).isEmpty();
  }

  @Test
  void timelines_and_lists_come_in_pages() {
    connector("shelf", SUCCEEDING);
    connector("other", waiting());
    OwnerClient owner = start();
    String runId = owner.run("shelf");
    owner.ended(runId);
    owner.run("other");

    JsonObject first = owner.get("/_ref/runs/" + runId + "/timeline?limit=2").body();
    JsonObject second = owner
        .get(
            "/_ref/runs/" + runId + "/timeline?limit=1000&cursor=" + first.getString("next_cursor"))
        .body();
    JsonObject connectors = owner.get("/_ref/connectors?limit=1").body();
    JsonObject lastConnectors =
        owner.get("/_ref/connectors?limit=200&cursor=other").body();
    JsonObject runs = owner.get("/_ref/runs").body();
    JsonObject firstRuns = owner.get("/_ref/runs?limit=1").body();
    JsonObject lastRuns = owner
        .get("/_ref/runs?limit=1&cursor=" + firstRuns.getString("next_cursor"))
        .body();

    assertThat(first.getInteger("event_count")).isEqualTo(2);
    assertThat(second.getJsonArray("data"))
        .doesNotContain(first.getJsonArray("data").getJsonObject(1));
    assertThat(first.getBoolean("truncated")).isTrue();
    assertThat(second.getBoolean("truncated")).isFalse();
    assertThat(second.getString("terminal_status")).isEqualTo("completed");
    assertThat(OwnerClient.events(second.getJsonArray("data")))
        .doesNotContain("run.started")
        .endsWith("run.completed");
    assertThat(connectors.getJsonArray("data").getJsonObject(0).getString("connector_id"))
        .isEqualTo("other");
    assertThat(connectors.getString("next_cursor")).isEqualTo("other");
    assertThat(lastConnectors.getJsonArray("data")).singleElement().asString().contains("shelf");
    assertThat(lastConnectors.getString("next_cursor")).isNull();
    assertThat(firstRuns.getJsonArray("data"))
        .as("the active one stands before")
        .hasSize(2);
    assertThat(lastRuns.getJsonArray("data")).as("and on the first page alone").isEmpty();
    assertThat(owner.get("/_ref/runs?connector_id=shelf").body().getJsonArray("data"))
        .hasSize(1);
    assertThat(runs.getJsonArray("data").getJsonObject(0).getString("status")).isEqualTo("active");
    assertThat(runs.getJsonArray("data").getJsonObject(1).getString("run_id")).isEqualTo(runId);
  }

  @Test
  void a_stream_s_cursor_is_shown_and_forgotten() {
    connector("shelf", SUCCEEDING);
    OwnerClient owner = start();
    owner.ended(owner.run("shelf"));

    assertThat(owner.delete("/_ref/connectors/shelf/state/books").status()).isEqualTo(204);

    assertThat(owner.get("/_ref/connectors/shelf/state").body().getJsonObject("state"))
        .isEmpty();
    assertThat(owner.delete("/_ref/connectors/shelf/state/books").status()).isEqualTo(404);
  }

  @Test
  void what_a_child_writes_on_its_standard_error_can_be_watched_redacted() {
    connector(
        "shelf",
        "read -r start\necho 'password=hunter2 now' >&2\n" + RECORD + STATE + "exec sleep 600\n");
    OwnerClient owner = start();
    String runId = owner.run("shelf");
    owner.awaitEvent(runId, "run.state_staged");

    JsonObject stderr = owner.awaitBody( // which is read beside the output
        "/_ref/runs/" + runId + "/stderr",
        lines -> lines.getJsonArray("data").encode().contains("now"));

    assertThat(stderr.encode()).doesNotContain("hunter2");
    assertThat(owner.get("/_ref/runs/run_unknown/stderr").status()).isEqualTo(404);
  }

  private static final Duration SOON = Duration.ofSeconds(60);

  /** Of the first run, a child of the connector that no SIGTERM ends; both write down who they are. */
  private static String stubbornChild(Path pids) {
    return "read -r start\nif [ ! -e " + pids + " ]; then\necho $$ >> " + pids
        + "\n(trap '' TERM; exec sleep 600) &\necho $! >> " + pids + "\nfi\n";
  }

  private static String records(int from, int count) {
    return ("i=%s; while [ $i -lt %s ]; do echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"'$i'\","
            + "\"emitted_at\":\"2026-01-01T00:00:00Z\",\"data\":{\"isbn\":\"'$i'\"}}'; i=$((i+1)); done\n")
        .formatted(from, from + count);
  }

  private static long count(JsonArray timeline, String type) {
    return OwnerClient.events(timeline).stream().filter(type::equals).count();
  }

  /** The data of the run's last event. */
  private static JsonObject terminal(OwnerClient owner, String runId) {
    JsonArray timeline = owner.timeline(runId);
    return timeline.getJsonObject(timeline.size() - 1).getJsonObject("data");
  }

  private static String waiting() {
    return "read -r start\n" + RECORD + STATE + "exec sleep 600\n";
  }

  /** The same; it writes down who it is before it says anything. */
  private static String waiting(Path pids) {
    return "echo $$ >> " + pids + "\n" + waiting();
  }

  private static boolean isAlive(Path pid) throws IOException {
    return HostProcesses.here()
        .find(Long.parseLong(Files.readString(pid).strip()))
        .isPresent();
  }

  private static JsonObject connectorsEntry(OwnerClient owner, String id) {
    return owner.get("/_ref/connectors?limit=200").body().getJsonArray("data").stream()
        .map(JsonObject.class::cast)
        .filter(entry -> entry.getString("connector_id").equals(id))
        .findFirst()
        .orElseThrow();
  }

  private void connector(String id, String script) {
    Folders.runnable(scene.polyfills, id, "1", script);
  }

  private OwnerClient start() {
    return start(new RunlaneDeployment());
  }

  private OwnerClient start(RunlaneDeployment deployment) {
    return scene.start(new OwnerHost.Setup().deployment(deployment));
  }

  private ConnectorStore store() {
    return scene.hosts.get(0).store;
  }

  private ActiveRun row(String connectorId) {
    return OwnerHost.await(store().activeRuns().findByInstance(connectorId)).orElseThrow();
  }

  private static void assertRefused(
      OwnerClient owner, String runId, String body, int status, String code) {
    Answer answer = owner.post("/_ref/runs/" + runId + "/interaction", body);
    assertThat(answer.status()).as(runId + body).isEqualTo(status);
    assertThat(answer.code()).isEqualTo(code);
  }

  private static void assertEnvelope(Answer answer, int status, String type) {
    assertThat(answer.status()).as(answer.body().encode()).isEqualTo(status);
    assertThat(answer.error().getString("type")).isEqualTo(type);
    assertThat(answer.error().getString("message")).isNotBlank();
    assertThat(answer.error().getString("request_id")).startsWith("req_");
  }

  /** A controller in another process, killed at the end. */
  private final class Killed implements AutoCloseable {
    final int port;

    private final Process jvm;

    Killed() throws IOException {
      jvm = new ProcessBuilder(scene.command())
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start();
      BufferedReader said =
          new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8));
      port = Integer.parseInt(said.readLine().substring("port ".length()));
    }

    @Override
    public void close() {
      OwnerHost.await(Future.fromCompletionStage(jvm.destroyForcibly().onExit()));
    }
  }
}
