package dev.runlane.connector.controller;

import static dev.runlane.connector.controller.OwnerScene.RECORD;
import static dev.runlane.connector.controller.OwnerScene.done;
import static dev.runlane.connector.controller.OwnerScene.expecting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.controller.OwnerClient.Answer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("cursors in the owner's hands, over HTTP, on Postgres, with real children")
class StateRoutesTest extends OwnerCase {
  private static final String STATE = "/_ref/connectors/shelf/state";
  private static final String MANIFEST = """
      {"connector_id": "shelf", "version": "1", "streams": [
         {"name": "books", "primary_key": ["isbn"], "schema": {"required": ["isbn"]}},
         {"name": "loans", "primary_key": ["isbn"], "schema": {"required": ["isbn"]}}]}
      """;

  private void shelf(String script) {
    Path folder = Folders.runnable(scene.polyfills, "shelf", "1", script);
    Folders.write(folder, "manifest.json", MANIFEST);
  }

  private static String cursor(String stream, String cursor) {
    return "echo '{\"type\":\"STATE\",\"stream\":\"" + stream + "\",\"cursor\":" + cursor + "}'\n";
  }

  private static JsonObject state(OwnerClient owner) {
    return owner.get(STATE).body().getJsonObject("state");
  }

  @Test
  void R3_a_run_goes_on_from_the_cursor_that_the_owner_wrote() {
    shelf(expecting("\"state\":{\"books\":{\"page\":41,\"at\":1.10}}")
        + RECORD
        + cursor("books", "{\"page\":42}")
        + done(1));
    OwnerClient owner = scene.start();

    Answer edited = owner.put(STATE + "/books", "{\"cursor\": {\"page\": 41, \"at\": 1.10}}");

    assertThat(edited.status()).isEqualTo(200);
    assertThat(edited.body().getJsonObject("state").encode())
        .isEqualTo("{\"books\":{\"page\":41,\"at\":1.1}}");
    assertThat(edited.body().getJsonObject("streams").getJsonObject("books").getValue("run_id"))
        .as("no run wrote it")
        .isNull();
    String runId = owner.run("shelf");
    assertThat(owner.ended(runId).getString("status")).isEqualTo("completed");
    assertThat(state(owner).encode()).isEqualTo("{\"books\":{\"page\":42}}");
    JsonObject facts = owner.get(STATE).body().getJsonObject("streams").getJsonObject("books");
    assertThat(facts.getString("run_id")).isEqualTo(runId);
    assertThat(facts.getLong("records_accepted")).isEqualTo(1);
  }

  @Test
  void a_cursor_that_cannot_be_stored_is_refused_and_the_old_one_stays() {
    shelf(expecting() + done(0));
    OwnerClient owner = scene.start();
    owner.put(STATE + "/books", "{\"cursor\": {\"page\": 1}}");

    for (String body : List.of(
        "{}",
        "{\"cursor\": 3}",
        "{\"cursor\": \"x\"}",
        "{\"cursor\": []}",
        "{",
        "{\"page\": 2}",
        "{\"cursor\": {\"page\": 1e99999999999}}")) {
      Answer answer = owner.put(STATE + "/books", body);
      assertThat(answer.status()).as(body).isEqualTo(400);
      assertThat(answer.code()).isEqualTo("invalid_request");
    }
    Answer unknown = owner.put(STATE + "/films", "{\"cursor\": {}}");
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(unknown.error().getString("param")).isEqualTo("stream");
    assertThat(
            owner.put("/_ref/connectors/other/state/books", "{\"cursor\": {}}").status())
        .isEqualTo(404);
    assertThat(state(owner).encode()).isEqualTo("{\"books\":{\"page\":1}}");

    assertThat(owner.put(STATE + "/books", "{\"cursor\": null}").status()).isEqualTo(200);
    assertThat(state(owner).encode()).isEqualTo("{\"books\":null}");
  }

  @Test
  void a_cursor_is_not_changed_under_a_run_that_would_end_with_its_own() {
    shelf(OwnerScene.waiting());
    OwnerClient owner = scene.start();
    owner.put(STATE + "/loans", "{\"cursor\": {\"page\": 7}}");
    String runId = owner.run("shelf");

    Answer edited = owner.put(STATE + "/books", "{\"cursor\": {}}");
    Answer reset = owner.delete(STATE + "/loans");

    for (Answer answer : List.of(edited, reset)) {
      assertThat(answer.status()).isEqualTo(409);
      assertThat(answer.code()).isEqualTo("run_already_active");
      assertThat(answer.error().getString("run_id")).isEqualTo(runId);
    }
    assertThat(state(owner).encode()).isEqualTo("{\"loans\":{\"page\":7}}");
  }

  @Test
  void cursors_that_a_grant_keeps_are_apart_from_the_connection_s_own() {
    shelf(expecting() + done(0));
    OwnerClient owner = scene.start();

    owner.put(STATE + "/books?grant_id=grt_1", "{\"cursor\": {\"page\": 5}}");

    assertThat(state(owner)).isEmpty();
    assertThat(
            owner.get(STATE + "?grant_id=grt_1").body().getJsonObject("state").encode())
        .isEqualTo("{\"books\":{\"page\":5}}");
    assertThat(owner.delete(STATE + "/books?grant_id=grt_1").status()).isEqualTo(204);
    assertThat(owner.get(STATE + "?grant_id=grt_1").body().getJsonObject("state"))
        .isEmpty();
  }

  @Test
  void R1_S2_a_full_refresh_of_one_stream_begins_it_anew_and_leaves_the_others_alone() {
    shelf(expecting(
            "\"collection_mode\":\"full_refresh\"",
            "\"streams\":[{\"name\":\"books\"}]",
            "\"state\":{}")
        + RECORD
        + cursor("books", "{\"page\":1}")
        + done(1));
    OwnerClient owner = scene.start();
    owner.put(STATE + "/books", "{\"cursor\": {\"page\": 90}}");
    owner.put(STATE + "/loans", "{\"cursor\": {\"page\": 7}}");

    Answer started = owner.post("/_ref/connectors/shelf/streams/books/full-refresh");

    assertThat(started.status()).isEqualTo(202);
    String runId = started.body().getString("run_id");
    assertThat(owner.ended(runId).getString("status")).isEqualTo("completed");
    assertThat(state(owner))
        .isEqualTo(new JsonObject("{\"books\": {\"page\": 1}, \"loans\": {\"page\": 7}}"));
  }

  @Test
  void a_full_refresh_that_fails_leaves_the_cursor_as_it_was() {
    shelf("read -r start\n" + cursor("books", "{\"page\":1}") + "exit 1\n");
    OwnerClient owner = scene.start();
    owner.put(STATE + "/books", "{\"cursor\": {\"page\": 90}}");

    Answer started = owner.post("/_ref/connections/shelf/streams/books/full-refresh");

    assertThat(owner.ended(started.body().getString("run_id")).getString("status"))
        .isEqualTo("failed");
    assertThat(state(owner).encode()).isEqualTo("{\"books\":{\"page\":90}}");
  }

  @Test
  void a_full_refresh_of_what_is_not_there_or_is_active_is_refused() {
    shelf(OwnerScene.waiting());
    OwnerClient owner = scene.start();
    String path = "/_ref/connectors/%s/streams/%s/full-refresh";

    Answer stream = owner.post(path.formatted("shelf", "films"));
    Answer connector = owner.post(path.formatted("other", "books"));
    String runId = owner.run("shelf");
    Answer active = owner.post(path.formatted("shelf", "books"));

    assertThat(stream.status()).isEqualTo(404);
    assertThat(stream.error().getString("param")).isEqualTo("stream");
    assertThat(connector.status()).isEqualTo(404);
    assertThat(connector.error().getString("param")).isEqualTo("connector_id");
    assertThat(active.status()).isEqualTo(409);
    assertThat(active.error().getString("run_id")).isEqualTo(runId);
  }
}
