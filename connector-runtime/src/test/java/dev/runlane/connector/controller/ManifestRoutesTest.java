package dev.runlane.connector.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.controller.OwnerClient.Answer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("the manifest in use, over HTTP, on Postgres, with real children")
class ManifestRoutesTest extends OwnerCase {
  private static final String PATH = "/_ref/connectors/shelf/manifest";

  @BeforeEach
  void both() {
    Folders.runnable(scene.fixtures, "shelf", "1", saying("fixture"));
    Folders.runnable(scene.polyfills, "shelf", "2", saying("polyfill"));
  }

  private static String saying(String who) {
    return "read -r start\n" + OwnerScene.progress("the " + who) + OwnerScene.done(0);
  }

  private static String whoRan(OwnerClient owner, String runId) {
    owner.ended(runId);
    return owner.timeline(runId).getJsonObject(1).getJsonObject("data").getString("message");
  }

  @Test
  void R7_S1_the_polyfill_runs_where_its_manifest_is_in_use() {
    OwnerClient owner = scene.start();

    Answer activated = owner.put(PATH, "{\"registry\": \"polyfills\"}");

    assertThat(activated.status()).isEqualTo(200);
    assertThat(activated.body().getString("version")).isEqualTo("2");
    assertThat(whoRan(owner, owner.run("shelf"))).isEqualTo("the polyfill");
  }

  @Test
  void R7_S2_the_polyfill_runs_where_no_manifest_is_in_use() {
    OwnerClient owner = scene.start();

    assertThat(owner.get(PATH).status()).isEqualTo(404);
    assertThat(whoRan(owner, owner.run("shelf"))).isEqualTo("the polyfill");
  }

  @Test
  void R7_the_fixture_runs_where_its_manifest_is_in_use_in_every_process_until_it_is_not() {
    OwnerClient owner = scene.start();
    owner.put(PATH, "{\"registry\": \"fixtures\"}");
    OwnerClient another = scene.start();

    assertThat(another.get(PATH).body().getString("version")).isEqualTo("1");
    assertThat(whoRan(another, another.run("shelf"))).isEqualTo("the fixture");
    JsonObject listed =
        another.get("/_ref/connectors?limit=10").body().getJsonArray("data").getJsonObject(0);
    assertThat(listed.getString("version")).isEqualTo("1");
    assertThat(listed.getJsonObject("active_manifest").getString("fingerprint"))
        .isEqualTo(listed.getString("fingerprint"));

    assertThat(owner.delete(PATH).status()).isEqualTo(204);
    assertThat(owner.delete(PATH).status()).isEqualTo(404);
    assertThat(whoRan(another, another.run("shelf"))).isEqualTo("the polyfill");
  }

  @Test
  void R7_the_polyfill_runs_where_the_manifest_in_use_is_of_neither() {
    OwnerClient owner = scene.start();

    Answer activated = owner.put(
        PATH,
        "{\"manifest\": {\"connector_id\": \"shelf\", \"version\": \"3\","
            + " \"streams\": [{\"name\": \"books\"}]}}");

    assertThat(activated.body().getString("version")).isEqualTo("3");
    assertThat(whoRan(owner, owner.run("shelf"))).isEqualTo("the polyfill");
  }

  @Test
  void R7_R8_schedules_follow_the_policy_of_the_manifest_that_would_run() {
    Folders.askFirst(scene.fixtures.resolve("shelf"));
    OwnerClient owner = scene.start();
    String schedule = "/_ref/connectors/shelf/schedule";
    String hourly = "{\"interval_seconds\": 3600}";

    assertThat(owner.put(schedule, hourly).status()).isEqualTo(200);
    owner.put(PATH, "{\"registry\": \"fixtures\"}");

    assertThat(owner.get(schedule).body().getString("effective_mode")).isEqualTo("manual");
    assertThat(owner.put(schedule, hourly).status()).isEqualTo(400);
    owner.delete(PATH);
    assertThat(owner.put(schedule, hourly).status()).isEqualTo(200);
  }

  @Test
  void R7_a_run_keeps_the_choice_it_was_accepted_under() {
    OwnerClient owner = scene.start(new OwnerHost.Setup().withoutWorkers());
    owner.put(PATH, "{\"registry\": \"fixtures\"}");
    String runId = owner.run("shelf");
    owner.put(PATH, "{\"registry\": \"polyfills\"}");

    OwnerClient working = scene.start();

    assertThat(whoRan(working, runId)).isEqualTo("the fixture");
  }

  @Test
  void a_manifest_that_cannot_be_in_use_is_refused_and_changes_nothing() {
    OwnerClient owner = scene.start();
    owner.put(PATH, "{\"registry\": \"fixtures\"}");

    for (String body : List.of(
        "{}",
        "{\"registry\": \"others\"}",
        "{\"registry\": 1}",
        "{\"registry\": \"fixtures\", \"manifest\": {}}",
        "{\"manifest\": {\"connector_id\": \"other\", \"version\": \"1\","
            + " \"streams\": [{\"name\": \"books\"}]}}")) {
      Answer answer = owner.put(PATH, body);
      assertThat(answer.status()).as(body).isEqualTo(400);
      assertThat(answer.code()).isEqualTo("invalid_request");
    }
    assertThat(owner.put(PATH, "{\"manifest\": {\"connector_id\": \"shelf\"}}").code())
        .isEqualTo("connector_invalid");
    for (String unknown : List.of("unknown", "%00", "x".repeat(5_000))) {
      String path = "/_ref/connectors/" + unknown + "/manifest";
      assertThat(owner.put(path, "{\"registry\": \"fixtures\"}").status()).isEqualTo(404);
      assertThat(owner.get(path).status()).isEqualTo(404);
      assertThat(owner.delete(path).status()).isEqualTo(404);
    }
    assertThat(owner.get(PATH).body().getString("version")).isEqualTo("1");
  }
}
