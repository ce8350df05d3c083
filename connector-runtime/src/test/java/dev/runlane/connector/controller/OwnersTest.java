package dev.runlane.connector.controller;

import static dev.runlane.connector.controller.OwnerScene.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.controller.OwnerClient.Answer;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("several owners of one server")
class OwnersTest extends OwnerCase {
  private OwnerClient owner;

  /** A connector is its namesake's. */
  @BeforeEach
  void two() {
    Folders.runnable(scene.polyfills, "alice", "1", waiting());
    Folders.runnable(scene.polyfills, "bob", "1", waiting());
    owner = scene.start(new OwnerHost.Setup()
        .owners((request, connection) -> Future.succeededFuture(
            connection.connectorId().equals(request.request().getHeader("x-owner")))));
  }

  private Answer as(String who, String method, String path) {
    HttpRequest.Builder request = owner.request(path).header("x-owner", who);
    return owner.send(request.method(method, BodyPublishers.ofString("")).build());
  }

  private static List<String> ids(Answer answer) {
    return answer.body().getJsonArray("data").stream()
        .map(entry -> ((JsonObject) entry).getString("connector_id"))
        .toList();
  }

  @Test
  void R6_S5_a_run_of_another_owner_is_neither_cancelled_nor_shown() {
    String runId = as("alice", "POST", "/_ref/connectors/alice/run").body().getString("run_id");

    for (String[] call : new String[][] {
      {"POST", "/cancel"},
      {"POST", "/interaction"},
      {"GET", ""},
      {"GET", "/timeline"},
      {"GET", "/stderr"}
    }) {
      Answer refused = as("bob", call[0], "/_ref/runs/" + runId + call[1]);
      assertThat(refused.status()).as(call[1]).isEqualTo(403);
      assertThat(refused.code()).isEqualTo("run_owner_mismatch");
      assertThat(refused.error().getString("type")).isEqualTo("permission_error");
    }
    assertThat(as("alice", "GET", "/_ref/runs/" + runId).body().getString("status"))
        .isEqualTo("active");
    assertThat(as("alice", "POST", "/_ref/runs/" + runId + "/cancel").status()).isEqualTo(202);
    assertThat(as("bob", "POST", "/_ref/runs/run_unknown/cancel").code())
        .isEqualTo("no_active_run");
  }

  @Test
  void a_connection_of_another_owner_is_neither_run_nor_changed_nor_listed() {
    as("alice", "POST", "/_ref/connectors/alice/run");
    as("bob", "POST", "/_ref/connections/bob/run");

    for (String[] call : new String[][] {
      {"POST", "/run"},
      {"GET", "/state"},
      {"DELETE", "/state/books"},
      {"GET", "/manifest"},
      {"PUT", "/schedule"},
      {"DELETE", "/schedule"},
      {"POST", "/schedule/pause"}
    }) {
      Answer refused = as("bob", call[0], "/_ref/connectors/alice" + call[1]);
      assertThat(refused.status()).as(call[1]).isEqualTo(403);
      assertThat(refused.code()).isEqualTo("connector_instance_owner_mismatch");
    }
    for (String path : List.of("/run", "/schedule/pause")) {
      assertThat(as("bob", "POST", "/_ref/connections/alice" + path).code())
          .as(path)
          .isEqualTo("connector_instance_owner_mismatch");
    }
    assertThat(ids(as("bob", "GET", "/_ref/connectors?limit=10"))).containsExactly("bob");
    assertThat(ids(as("bob", "GET", "/_ref/runs"))).containsExactly("bob");
    assertThat(ids(as("carol", "GET", "/_ref/schedules"))).isEmpty();
  }
}
