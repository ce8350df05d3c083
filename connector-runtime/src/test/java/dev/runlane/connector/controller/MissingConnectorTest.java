package dev.runlane.connector.controller;

import static dev.runlane.connector.controller.OwnerHost.await;
import static dev.runlane.connector.controller.OwnerScene.done;
import static dev.runlane.connector.controller.OwnerScene.progress;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.history.HistoryQuery;
import dev.runlane.run.RunStatus;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.timing.Clock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a run that is claimed by a process without its connector")
class MissingConnectorTest extends OwnerCase {
  private static String saying(String message) {
    return "read -r start\n" + progress(message) + done(0);
  }

  private static OwnerHost.Setup accepting() {
    return new OwnerHost.Setup().withoutWorkers();
  }

  /** A run that was accepted with the connector there, and what of it is away from then on. */
  private String accepted(OwnerClient owner) throws IOException {
    String runId = owner.run("shelf");
    Files.move(shelf(), away());
    return runId;
  }

  private Path shelf() {
    return scene.polyfills.resolve("shelf");
  }

  private Path away() {
    return registries.resolve("away");
  }

  /** Waits until the run was given back so often. */
  private void awaitGivenBack(String runId, int times) {
    scene.hosts.get(0).awaitDurable(runId, run -> run.counters().releases() >= times);
  }

  @Test
  void is_launched_by_one_that_has_it_and_ends_well_there() throws Exception {
    Folders.runnable(scene.polyfills, "shelf", "1", saying("here"));
    OwnerClient owner = scene.start(accepting());
    String runId = accepted(owner);

    List<String> logged = CapturedErrors.during(() -> {
      scene.start();
      awaitGivenBack(runId, 2);
    });

    assertThat(owner.get("/_ref/runs/" + runId).body().getString("status")).isEqualTo("active");
    assertThat(owner.timeline(runId)).isEmpty();
    assertThat(logged)
        .filteredOn(line -> line.contains("does not have connector shelf"))
        .singleElement()
        .satisfies(line -> assertThat(line).contains(runId));
    Files.move(away(), shelf());
    OwnerHost having = having();
    assertThat(owner.ended(runId).getString("status")).isEqualTo("completed");
    assertThat(await(having.runlane.awaitRun(runId, Duration.ofSeconds(60))).status())
        .isEqualTo(RunStatus.SUCCEEDED);
    assertThat(having.observed).contains("shelf run.completed");
  }

  private OwnerHost having() {
    scene.start();
    return scene.hosts.get(scene.hosts.size() - 1);
  }

  @Test
  void R7_is_launched_under_the_manifest_it_was_accepted_with() {
    Folders.runnable(scene.polyfills, "shelf", "1", saying("the first"));
    scene.start();
    Folders.runnable(scene.polyfills, "shelf", "2", saying("the second"));
    OwnerClient owner = scene.start(accepting());

    String runId = owner.run("shelf");
    awaitGivenBack(runId, 1);
    scene.start();

    assertThat(owner.ended(runId).getString("status")).isEqualTo("completed");
    assertThat(owner.timeline(runId).encode()).contains("the second");
  }

  @Test
  void fails_when_nobody_had_it_for_ten_minutes() throws Exception {
    AtomicReference<Duration> passed = new AtomicReference<>(Duration.ZERO);
    Folders.runnable(scene.polyfills, "shelf", "1", saying("nowhere"));
    OwnerClient owner = scene.start(accepting());
    String runId = accepted(owner);
    scene.start(new OwnerHost.Setup().clock(() -> Clock.system().now().plus(passed.get())));
    awaitGivenBack(runId, 1);

    passed.set(Duration.ofMinutes(7)); // with what really passes, less than ten
    int before = scene.hosts.get(0).awaitDurable(runId, run -> true).counters().releases();
    awaitGivenBack(runId, before + 1);
    assertThat(owner.get("/_ref/runs/" + runId).body().getString("status")).isEqualTo("active");
    passed.set(Duration.ofMinutes(10));

    JsonObject run = owner.ended(runId);
    assertThat(run.getString("status")).isEqualTo("failed");
    assertThat(run.getString("terminal_reason")).isEqualTo("launch_failed");
    assertThat(run.getJsonObject("failure").getString("message"))
        .isEqualTo("connector shelf can no longer be run");
    assertThat(await(scene.hosts.get(0).store.history().list(HistoryQuery.newest("shelf"))))
        .singleElement()
        .satisfies(
            ended -> assertThat(ended.entry().failureReason()).isEqualTo("connector_invalid"));
  }

  @Test
  void is_launched_under_the_manifest_that_is_there_when_nobody_has_its_own_any_more() {
    Folders.runnable(scene.polyfills, "shelf", "1", saying("the first"));
    OwnerClient owner = scene.start(accepting());
    String runId = owner.run("shelf");
    Folders.runnable(scene.polyfills, "shelf", "2", saying("the second"));

    scene.start(
        new OwnerHost.Setup().clock(() -> Clock.system().now().plus(Duration.ofMinutes(10))));

    assertThat(owner.ended(runId).getString("status")).isEqualTo("completed");
    assertThat(owner.timeline(runId).encode()).contains("the second");
  }

  @Test
  void R7_a_connector_that_was_changed_on_disk_is_not_launched_under_the_manifest_that_was_read()
      throws Exception {
    Folders.runnable(scene.polyfills, "shelf", "1", saying("the first"));
    OwnerClient before = scene.start();
    Folders.runnable(scene.polyfills, "shelf", "2", saying("the second"));
    List<String> logged = CapturedErrors.during(() -> {
      String accepted = before.run("shelf");
      awaitGivenBack(accepted, 2);
      assertThat(before.timeline(accepted)).isEmpty();
    });
    String runId = scene.hosts.get(0).activeRun("shelf");
    scene.hosts.remove(0).close();

    OwnerClient owner = scene.start(
        new OwnerHost.Setup().clock(() -> Clock.system().now().plus(Duration.ofMinutes(2))));

    assertThat(owner.ended(runId).getString("status")).isEqualTo("completed");
    assertThat(owner.timeline(runId).encode()).contains("the second");
    assertThat(logged)
        .filteredOn(line -> line.contains("shelf was changed on disk"))
        .singleElement()
        .satisfies(line -> assertThat(line).contains("restart"));
  }

  @Test
  void fails_at_once_where_it_is_not_to_wait() throws Exception {
    Folders.runnable(scene.polyfills, "shelf", "1", saying("nowhere"));
    OwnerClient owner = scene.start(accepting());
    String runId = accepted(owner);

    scene.start(new OwnerHost.Setup()
        .options(options -> options.setMissingConnectorTimeout(Duration.ZERO)));

    assertThat(owner.ended(runId).getString("terminal_reason")).isEqualTo("launch_failed");
    assertThat(scene.hosts.get(0).awaitDurable(runId, run -> true).counters().releases())
        .isZero();
  }

  @Test
  void R6_S5_can_be_cancelled_while_it_waits() throws Exception {
    Folders.runnable(scene.polyfills, "shelf", "1", saying("nowhere"));
    OwnerClient owner = scene.start(accepting());
    String runId = accepted(owner);
    scene.start();
    awaitGivenBack(runId, 1);

    assertThat(owner.post("/_ref/runs/" + runId + "/cancel").status()).isEqualTo(202);

    assertThat(owner.ended(runId).getString("terminal_reason")).isEqualTo("owner_cancelled");
  }
}
