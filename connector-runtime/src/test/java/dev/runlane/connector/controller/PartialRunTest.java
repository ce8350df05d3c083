package dev.runlane.connector.controller;

import static dev.runlane.connector.controller.OwnerHost.await;
import static dev.runlane.connector.controller.OwnerScene.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.controller.OwnerClient.Answer;
import dev.runlane.connector.store.record.StoredRecord;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a run of a part of a stream")
class PartialRunTest extends OwnerCase {
  /** Four of ten books at first, the rest from there, and of a part of them what was asked for. */
  private static final String SHELF = "read -r start\ncase $start in\n"
      + "*resources*|*time_range*|*fields*) books=1 ;;\n"
      + "*'\"page\":10'*) books= ;;\n"
      + "*'\"page\":4'*) books='5 6 7 8 9 10' ;;\n"
      + "*) books='1 2 3 4' ;;\nesac\n"
      + "page=10; case $books in '1 2 3 4') page=4 ;; esac\n"
      + "n=0; for book in $books; do n=$((n+1))\n"
      + "echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"'$book'\","
      + "\"emitted_at\":\"2026-01-01T00:00:00Z\",\"data\":{\"isbn\":\"'$book'\"}}'; done\n"
      + "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"page\":'$page'}}'\n"
      + done(0).replace(":0}", ":'$n'}");

  private OwnerClient owner;

  private JsonObject run(String body) {
    Answer answer = owner.post("/_ref/connectors/shelf/run", body);
    assertThat(answer.status()).isEqualTo(202);
    String runId = answer.body().getString("run_id");
    assertThat(owner.ended(runId).getString("status")).isEqualTo("completed");
    return owner.timeline(runId).stream()
        .map(JsonObject.class::cast)
        .filter(event -> event.getString("event_type").equals("run.completed"))
        .findFirst()
        .orElseThrow()
        .getJsonObject("data");
  }

  private List<String> books() {
    return await(scene.hosts.get(0).store.records().records("shelf", "books", "", 100)).stream()
        .map(StoredRecord::key)
        .toList();
  }

  @Test
  void leaves_what_is_outside_the_part_to_the_next_whole_run() {
    Folders.runnable(scene.polyfills, "shelf", "1", SHELF);
    owner = scene.start();
    run("{}");

    for (String part : List.of(
        "{\"resources\": {\"books\": [\"1\"]}}",
        "{\"scope\": {\"streams\": [{\"name\": \"books\", \"fields\": [\"title\"]}]}}",
        "{\"scope\": {\"streams\": [{\"name\": \"books\", \"time_range\": {\"since\": \"2026-01-01\"}}]}}")) {
      JsonObject end = run(part);
      assertThat(end.getString("checkpoint_commit_status")).isEqualTo("disabled");
      assertThat(end.getInteger("state_streams_staged")).isEqualTo(1);
      assertThat(end.getInteger("state_streams_committed")).isZero();
    }
    run("{\"scope\": {\"streams\": [{\"name\": \"books\"}]}}");

    assertThat(books())
        .containsExactlyInAnyOrder("1", "2", "3", "4", "5", "6", "7", "8", "9", "10");
  }
}
