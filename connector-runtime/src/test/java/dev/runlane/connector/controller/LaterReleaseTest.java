package dev.runlane.connector.controller;

import static dev.runlane.connector.controller.OwnerHost.await;
import static dev.runlane.connector.controller.OwnerScene.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnection;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a run of a later release")
class LaterReleaseTest extends OwnerCase {
  @Test
  void whose_process_is_gone_is_ended_by_a_controller_that_starts_and_keeps_its_names() {
    Folders.runnable(scene.polyfills, "shelf", "1", waiting());
    String runId = scene.start(new OwnerHost.Setup().withoutWorkers()).run("shelf");
    update("controller_active_runs SET source = 'partner', trigger_kind = 'nightly',"
        + " automation_mode = 'supervised', start_ticks = 1");

    OwnerClient owner = scene.start();

    assertThat(owner.ended(runId).getString("status")).isEqualTo("abandoned");
    assertThat(terminal(owner, runId).getJsonObject("data").getMap())
        .containsEntry("trigger_kind", "nightly")
        .containsEntry("automation_mode", "supervised");
    assertThat(
            owner.get("/_ref/runs").body().getJsonArray("data").getJsonObject(0).getMap())
        .containsEntry("source", "partner")
        .containsEntry("trigger_kind", "nightly")
        .containsEntry("automation_mode", "supervised");
  }

  private static JsonObject terminal(OwnerClient owner, String runId) {
    return owner.timeline(runId).getJsonObject(owner.timeline(runId).size() - 1);
  }

  private void update(String rows) {
    await(PgConnection.connect(scene.hosts.get(0).vertx, scene.address())
        .compose(connection -> connection
            .query("UPDATE " + scene.schema() + "." + rows)
            .execute()
            .eventually(connection::close)));
  }
}
