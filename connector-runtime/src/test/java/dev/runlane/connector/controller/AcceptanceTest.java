package dev.runlane.connector.controller;

import static dev.runlane.connector.controller.OwnerScene.RECORD;
import static dev.runlane.connector.controller.OwnerScene.STATE;
import static dev.runlane.connector.controller.OwnerScene.done;
import static dev.runlane.connector.controller.OwnerScene.expecting;
import static dev.runlane.connector.controller.OwnerScene.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.runlane.connector.controller.OwnerClient.Answer;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.schedule.ControllerRuns;
import dev.runlane.connector.schedule.ScheduledRuns.Request;
import dev.runlane.connector.schedule.ScheduledRuns.Start;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.key.AutomationMode;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import dev.runlane.connector.store.schedule.PutSchedule;
import dev.runlane.connector.store.schedule.Schedules;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("which runs are accepted, on Postgres, with real children")
class AcceptanceTest extends OwnerCase {
  private static final String PRESSED = "read -r start\n"
      + "echo '{\"type\":\"DETAIL_GAP\",\"stream\":\"books\",\"reason\":\"upstream_pressure\","
      + "\"retryable\":true,\"record_key\":\"1\"}'\n"
      + done(0);

  private static final String ANSWER =
      "{\"interaction_id\": \"q1\", \"status\": \"success\", \"data\": {\"code\": \"27182818\"}}";

  private static OwnerHost.Setup cooldown(Duration length) {
    return new OwnerHost.Setup().options(options -> options.setSourceCooldown(length));
  }

  @Test
  void R6_S1_a_source_that_asked_for_time_is_left_alone_unless_the_owner_insists() {
    Folders.runnable(scene.polyfills, "shelf", "1", PRESSED);
    OwnerClient owner = scene.start(cooldown(Duration.ofHours(1)));
    JsonObject first = owner.ended(owner.run("shelf"));

    Answer early = owner.post("/_ref/connectors/shelf/run", "{\"force\": false}");
    Answer refresh = owner.post("/_ref/connectors/shelf/streams/books/full-refresh");
    Answer forced = owner.post("/_ref/connectors/shelf/run", "{\"force\": true}");

    assertThat(early.status()).isEqualTo(425);
    assertThat(early.code()).isEqualTo("provider_pressure_cooldown");
    assertThat(early.error().getString("type")).isEqualTo("api_error");
    assertThat(early.error().getInstant("next_eligible_at"))
        .isAfter(first.getInstant("completed_at").plus(Duration.ofMinutes(59)));
    assertThat(refresh.status()).isEqualTo(425);
    assertThat(forced.status()).isEqualTo(202);
    for (String path : List.of("/run", "/streams/books/full-refresh")) {
      assertThat(owner.post("/_ref/connectors/shelf" + path, "{\"force\": 1}").status())
          .as(path)
          .isEqualTo(400);
    }
  }

  @Test
  void R6_S1_once_the_source_had_its_time_a_run_is_accepted() {
    Folders.runnable(scene.polyfills, "shelf", "1", PRESSED);
    OwnerClient owner = scene.start(cooldown(Duration.ofMillis(1)));
    owner.ended(owner.run("shelf"));

    assertThat(owner.post("/_ref/connectors/shelf/run").status()).isEqualTo(202);
  }

  @Test
  void R8_S7_failures_hold_no_run_of_the_owner_s() {
    Folders.runnable(
        scene.polyfills,
        "shelf",
        "1",
        "read -r start\necho '{\"type\":\"DONE\",\"status\":\"failed\",\"records_emitted\":0,"
            + "\"error\":{\"code\":\"rate_limited\",\"message\":\"later\",\"retryable\":true}}'\nexit 1\n");
    OwnerClient owner = scene.start(cooldown(Duration.ofHours(1)));

    for (int run = 0; run < 4; run++) {
      assertThat(owner.ended(owner.run("shelf")).getString("status")).isEqualTo("failed");
    }
  }

  @Test
  void R6_S4_an_answer_whose_process_does_not_answer_is_refused_as_such() {
    requireNotHandedOn("http://127.0.0.1:1", "run_owner_unreachable"); // nobody listens
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://127.0.0.1:PORT/?", "http://127.0.0.1@127.0.0.1:PORT", "nowhere"})
  void an_answer_goes_to_no_address_that_is_not_known(String address) throws IOException {
    AtomicInteger heard = new AtomicInteger();
    HttpServer listener = listen(exchange -> {
      heard.incrementAndGet();
      exchange.close();
    });
    try {
      String port = String.valueOf(listener.getAddress().getPort());
      requireNotHandedOn(address.replace("PORT", port), "run_owner_unknown");
    } finally {
      listener.stop(0);
    }
    assertThat(heard).hasValue(0);
  }

  @Test
  void an_acknowledgement_that_does_not_end_is_none() throws IOException {
    byte[] much = new byte[2 * 1024 * 1024];
    HttpServer listener = listen(exchange -> {
      exchange.sendResponseHeaders(202, much.length);
      try (OutputStream body = exchange.getResponseBody()) {
        body.write(much);
      }
    });
    try {
      requireNotHandedOn(
          "http://127.0.0.1:" + listener.getAddress().getPort(), "run_owner_unreachable");
    } finally {
      listener.stop(0);
    }
  }

  @Test
  void a_cookie_is_not_handed_on_with_an_answer() throws IOException {
    BlockingQueue<Map<String, List<String>>> heard = new LinkedBlockingQueue<>();
    HttpServer listener = listen(exchange -> {
      heard.add(Map.copyOf(exchange.getRequestHeaders()));
      exchange.sendResponseHeaders(202, -1);
      exchange.close();
    });
    try {
      OwnerClient second = beside("http://127.0.0.1:" + listener.getAddress().getPort());
      String asked = asked(second);

      second.send(second
          .request("/_ref/runs/" + asked + "/interaction")
          .header("cookie", "runlane-session=31415926")
          .POST(BodyPublishers.ofString(ANSWER))
          .build());

      Map<String, List<String>> headers = heard.remove();
      assertThat(headers).containsKey("Authorization").doesNotContainKey("Cookie");
      assertThat(headers.toString()).doesNotContain("31415926");
      assertThat(headers).containsEntry("X-runlane-forwarded", List.of("1"));
      Answer again = second.send(second
          .request("/_ref/runs/" + asked + "/interaction")
          .header("x-runlane-forwarded", "1")
          .POST(BodyPublishers.ofString(ANSWER))
          .build());
      assertThat(again.status()).isEqualTo(409);
      assertThat(heard).as("what was handed on once is handed on no more").isEmpty();
    } finally {
      listener.stop(0);
    }
  }

  private void requireNotHandedOn(String address, String code) {
    OwnerClient second = beside(address);
    String asked = asked(second);

    Answer answer = second.post("/_ref/runs/" + asked + "/interaction", ANSWER);

    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.code()).isEqualTo(code);
    assertThat(answer.error().getString("run_id")).isEqualTo(asked);
    assertThat(answer.body().encode()).doesNotContain("27182818");
    assertThat(OwnerClient.events(second.timeline(asked)))
        .doesNotContain("run.interaction_completed");
  }

  /** A process beside the one that has the children and this address. */
  private OwnerClient beside(String address) {
    Folders.runnable(
        scene.polyfills,
        "shelf",
        "1",
        "read -r start\necho '{\"type\":\"INTERACTION\",\"request_id\":\"q1\",\"kind\":\"otp\","
            + "\"message\":\"The code\",\"timeout_seconds\":600}'\nread -r answer\n");
    scene.start(new OwnerHost.Setup().options(options -> options.setAddress(address)));
    return scene.start(new OwnerHost.Setup().withoutWorkers());
  }

  /** A run of that other process, whose question waits. */
  private String asked(OwnerClient owner) {
    String runId = new OwnerClient(scene.hosts.get(0).port).run("shelf");
    owner.awaitEvent(runId, "run.interaction_required");
    return runId;
  }

  private static HttpServer listen(HttpHandler handler) throws IOException {
    HttpServer listener = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    listener.createContext("/", handler);
    listener.start();
    return listener;
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403})
  void an_answer_that_its_process_refuses_is_no_refusal_of_who_is_let_through_here(int status)
      throws IOException {
    HttpServer strict = listen(exchange -> {
      exchange.sendResponseHeaders(status, -1);
      exchange.close();
    });
    try {
      String address = "http://127.0.0.1:" + strict.getAddress().getPort();
      OwnerClient second = beside(address);
      String asked = asked(second);

      Answer answer = second.post("/_ref/runs/" + asked + "/interaction", ANSWER);

      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.code()).isEqualTo("run_owner_refused");
      assertThat(answer.error().getString("message")).contains(address);
    } finally {
      strict.stop(0);
    }
  }

  @Test
  void R6_S1_S2_stores_that_share_no_transaction_accept_one_run_too() {
    Folders.runnable(scene.polyfills, "shelf", "1", waiting());
    OwnerClient owner = scene.start(new OwnerHost.Setup()
        .admission((store, storage) -> RunAdmission.serialized(store.activeRuns(), storage)));

    List<Answer> answers = List.of(1, 2, 3, 4).parallelStream()
        .map(i -> owner.post("/_ref/connectors/shelf/run"))
        .toList();

    assertThat(answers).extracting(Answer::status).containsOnlyOnce(202).containsOnly(202, 409);
    String first = OwnerHost.await(scene.hosts.get(0).store.activeRuns().findByInstance("shelf"))
        .orElseThrow()
        .run()
        .runId();
    assertThat(answers)
        .filteredOn(answer -> answer.status() == 409)
        .allSatisfy(answer -> assertThat(answer.error().getString("run_id")).isEqualTo(first));
    owner.awaitEvent(first, "run.state_staged");
    owner.post("/_ref/runs/" + first + "/cancel");
    owner.ended(first);
    assertThat(owner.run("shelf")).isNotEqualTo(first);
    assertThat(owner.get("/_ref/runs").body().getJsonArray("data")).hasSize(2);
  }

  @Test
  void R11_S4_a_run_that_could_not_be_created_ends_and_frees_its_connector() {
    Folders.runnable(scene.polyfills, "shelf", "1", waiting());
    AtomicBoolean broken = new AtomicBoolean(true);
    OwnerClient owner = scene.start(new OwnerHost.Setup().admission((store, storage) -> {
      RunAdmission real = RunAdmission.serialized(store.activeRuns(), storage);
      return (command, runlane, creation) -> real.admit(
          command,
          runlane,
          triggers -> broken.get()
              ? Future.failedFuture(
                  RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "gone"))
              : creation.create(triggers));
    }));

    Answer failed = owner.post("/_ref/connectors/shelf/run");

    assertThat(failed.status()).isEqualTo(503);
    JsonObject run = owner
        .awaitBody(
            "/_ref/runs?status=failed", body -> !body.getJsonArray("data").isEmpty())
        .getJsonArray("data")
        .getJsonObject(0);
    assertThat(run.getString("terminal_reason")).isEqualTo("launch_failed");
    broken.set(false);
    assertThat(owner.post("/_ref/connectors/shelf/run").status()).isEqualTo(202);
  }

  @Test
  void R9_S1_R9_S2_a_single_use_grant_is_used_up_by_the_child_that_succeeds_and_no_state_is_kept() {
    String start = expecting("\"state\":null") + RECORD + STATE;
    Folders.runnable(scene.polyfills, "failing", "1", start + "exit 7\n");
    Folders.runnable(scene.polyfills, "shelf", "1", start + done(1));
    OwnerClient owner = scene.start();
    PgConnectorStore store = scene.hosts.get(0).store;
    ControllerRuns runs = new ControllerRuns(scene.hosts.get(0).controller);
    for (String id : List.of("failing", "shelf")) {
      owner.put("/_ref/connectors/" + id + "/schedule", "{\"interval_seconds\": 3600}");
    }
    Instant now = Instant.now();
    OwnerHost.await(
        store.schedules().claimDue("claim-1", now.plusSeconds(1), now.plusSeconds(60), 10));

    for (String id : List.of("failing", "shelf")) {
      Grant once = new Grant(id, id, GrantAccessMode.SINGLE_USE, GrantState.ACTIVE, null);
      OwnerHost.await(store.grants().put(once, now));
      assertThat(OwnerHost.await(runs.start(request(id, "claim-1", id)))).isEqualTo(Start.STARTED);
      JsonObject run = owner
          .awaitBody(
              "/_ref/runs?connector_id=" + id
                  + (id.equals("shelf") ? "&status=succeeded" : "&status=failed"),
              body -> !body.getJsonArray("data").isEmpty())
          .getJsonArray("data")
          .getJsonObject(0);
      assertThat(run.getInteger("records_emitted")).isEqualTo(1);
      assertThat(run.getJsonObject("checkpoint_summary").getString("commit_status"))
          .isEqualTo("disabled");
      assertThat(OwnerHost.await(store.states().show(new StateScope(ConnectorRef.of(id), id))))
          .isEmpty();
    }

    assertThat(grantState(store, "failing")).isEqualTo(GrantState.ACTIVE);
    assertThat(grantState(store, "shelf")).isEqualTo(GrantState.CONSUMED);
  }

  @Test
  void R6_S9_R9_S3_a_schedule_that_the_owner_changes_stays_under_its_grant() {
    Folders.runnable(scene.polyfills, "shelf", "1", done(0));
    OwnerClient owner = scene.start();
    Schedules schedules = scene.hosts.get(0).store.schedules();
    OwnerHost.await(schedules.put(new PutSchedule(
        ConnectorRef.of("shelf"),
        Duration.ofHours(1),
        Duration.ZERO,
        false,
        "lasting",
        Instant.now())));

    owner.put("/_ref/connectors/shelf/schedule", "{\"interval_seconds\": 7200}");

    ConnectorSchedule changed = OwnerHost.await(schedules.find("shelf")).orElseThrow();
    assertThat(changed.interval()).isEqualTo(Duration.ofHours(2));
    assertThat(changed.grantId()).isEqualTo("lasting");
  }

  private static GrantState grantState(PgConnectorStore store, String grantId) {
    return OwnerHost.await(store.grants().find(grantId)).orElseThrow().state();
  }

  @Test
  void R8_S4_R9_S1_a_scheduled_run_is_begun_under_its_claim_or_not_at_all() {
    Folders.runnable(
        scene.polyfills, "shelf", "1", expecting("\"state\":null") + RECORD + STATE + done(1));
    Folders.described(scene.fixtures, "described", "1");
    OwnerClient owner = scene.start();
    owner.put("/_ref/connectors/shelf/schedule", "{\"interval_seconds\": 3600}");
    ControllerRuns runs = new ControllerRuns(scene.hosts.get(0).controller);
    PgConnectorStore store = scene.hosts.get(0).store;
    Instant now = Instant.now();
    OwnerHost.await(
        store.schedules().claimDue("claim-1", now.plusSeconds(1), now.plusSeconds(60), 10));

    Start without = OwnerHost.await(runs.start(request("shelf", "another")));
    Start first = OwnerHost.await(runs.start(request("shelf", "claim-1")));
    Start again = OwnerHost.await(runs.start(request("shelf", "claim-1")));

    assertThat(without).isEqualTo(Start.CLAIM_LOST);
    assertThat(first).isEqualTo(Start.STARTED);
    assertThat(again).isIn(Start.ALREADY_ACTIVE, Start.CLAIM_LOST); // it may be over by now
    JsonObject run = owner
        .awaitBody(
            "/_ref/runs?status=succeeded", body -> !body.getJsonArray("data").isEmpty())
        .getJsonArray("data")
        .getJsonObject(0);
    assertThat(run.getString("trigger_kind")).isEqualTo("scheduled");
    assertThat(run.getString("automation_mode")).isEqualTo("unattended");
    assertThat(run.getJsonObject("checkpoint_summary").getString("commit_status"))
        .isEqualTo("disabled");
    assertThat(owner.get("/_ref/connectors/shelf/state").body().getJsonObject("state"))
        .isEmpty();
    assertThat(OwnerHost.await(runs.start(request("unknown", "claim-1"))))
        .isEqualTo(Start.NOT_RUNNABLE);
    assertThat(OwnerHost.await(runs.start(request("described", "claim-1"))))
        .isEqualTo(Start.NOT_RUNNABLE);
    assertThat(OwnerHost.await(runs.policy("shelf")).orElseThrow().minimumInterval())
        .isEqualTo(Duration.ofSeconds(600));
    assertThat(OwnerHost.await(runs.policy("unknown"))).isEmpty();
  }

  private static Request request(String connectorId, String claim) {
    return request(connectorId, claim, null);
  }

  private static Request request(String connectorId, String claim, @Nullable String grantId) {
    return new Request(
        ConnectorRef.of(connectorId),
        RunTrigger.scheduled(AutomationMode.UNATTENDED, 1),
        claim,
        grantId,
        CollectionMode.INCREMENTAL,
        false);
  }
}
