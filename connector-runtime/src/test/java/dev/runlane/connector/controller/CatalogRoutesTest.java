package dev.runlane.connector.controller;

import static dev.runlane.connector.controller.OwnerScene.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.controller.OwnerClient.Answer;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName(
    "one connector, its grants and its question, over HTTP, on Postgres, with real children")
class CatalogRoutesTest extends OwnerCase {
  private static final String QUESTION =
      "{\"type\":\"INTERACTION\",\"request_id\":\"q1\",\"kind\":\"otp\",\"message\":\"The code\"}";

  @Test
  void one_connector_is_shown_as_in_the_list_with_its_whole_manifest() {
    Folders.runnable(scene.polyfills, "shelf", "1", waiting());
    Folders.described(scene.polyfills, "attic", "1");
    OwnerClient owner = scene.start();

    Answer shown = owner.get("/_ref/connectors/shelf");

    assertThat(shown.status()).isEqualTo(200);
    JsonObject manifest = (JsonObject) shown.body().remove("manifest");
    assertThat(manifest.getString("display_name")).isEqualTo("The shelf");
    assertThat(manifest.getJsonArray("streams").getJsonObject(0).getJsonObject("schema"))
        .isNotNull();
    assertThat(owner.get("/_ref/connectors?limit=9").body().getJsonArray("data"))
        .contains(shown.body());
    assertThat(owner.get("/_ref/connectors/nobodys").status()).isEqualTo(404);
  }

  @Test
  void grants_are_shown_with_what_they_are_refused_with_and_taken_back() {
    Folders.runnable(scene.polyfills, "shelf", "1", waiting());
    OwnerClient owner = scene.start();
    OwnerHost host = scene.hosts.get(0);
    grant(host, "g-use", "shelf", null);
    grant(host, "g-old", "shelf", Instant.parse("2020-01-01T00:00:00Z"));
    grant(host, "g-other", "attic", null);

    assertThat(grants(owner))
        .extracting(each -> ((JsonObject) each).getString("grant_id"))
        .containsExactlyInAnyOrder("g-use", "g-old");
    assertThat(grants(owner))
        .extracting(each -> ((JsonObject) each).getString("refused_with"))
        .containsExactlyInAnyOrder(null, "grant_expired");
    Answer revoked = owner.post("/_ref/connectors/shelf/grants/g-use/revoke", "{}");
    assertThat(revoked.body().getString("state")).isEqualTo("revoked");
    assertThat(revoked.body().getString("refused_with")).isEqualTo("grant_revoked");
    assertThat(owner.post("/_ref/connectors/shelf/grants/g-other/revoke", "{}").status())
        .as("another connection's")
        .isEqualTo(404);
    assertThat(
            OwnerHost.await(host.store.grants().find("g-other")).orElseThrow().state())
        .isEqualTo(GrantState.ACTIVE);
    assertThat(owner.get("/_ref/connectors/nobodys/grants").status()).isEqualTo(404);
  }

  @Test
  void an_active_run_says_which_question_of_its_waits() {
    Folders.runnable(
        scene.polyfills, "shelf", "1", "read -r start\necho '" + QUESTION + "'\nread -r answer\n");
    OwnerClient owner = scene.start();
    String runId = owner.run("shelf");
    owner.awaitEvent(runId, "run.interaction_required");

    JsonObject run =
        owner.get("/_ref/runs?status=active").body().getJsonArray("data").getJsonObject(0);

    assertThat(run.getString("pending_interaction_id")).isEqualTo("q1");
  }

  private static JsonArray grants(OwnerClient owner) {
    return owner.get("/_ref/connectors/shelf/grants").body().getJsonArray("data");
  }

  private static void grant(OwnerHost host, String id, String connection, Instant expiresAt) {
    OwnerHost.await(host.store
        .grants()
        .put(
            new Grant(id, connection, GrantAccessMode.CONTINUOUS, GrantState.ACTIVE, expiresAt),
            Instant.now()));
  }
}
