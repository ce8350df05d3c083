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

  @Test
  void that_ended_in_a_way_only_that_release_knows_has_failed_and_its_event_keeps_its_type() {
    Folders.runnable(scene.polyfills, "shelf", "1", "exit 1\n");
    OwnerClient owner = scene.start();
    String runId = owner.run("shelf");
    owner.ended(runId);

    update("spine_events SET event_type = 'run.evicted' WHERE terminal");

    assertThat(owner.get("/_ref/runs/" + runId).body().getString("status")).isEqualTo("failed");
    assertThat(terminal(owner, runId).getString("event_type")).isEqualTo("run.evicted");
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
