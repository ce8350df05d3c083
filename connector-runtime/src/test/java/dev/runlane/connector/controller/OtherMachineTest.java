package dev.runlane.connector.controller;

import static dev.runlane.connector.controller.OwnerHost.await;
import static dev.runlane.connector.controller.OwnerScene.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.run.Environment;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.timing.Clock;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Tuple;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a run of a machine that is gone")
class OtherMachineTest extends OwnerCase {
  private static final Environment ENVIRONMENT =
      new Environment(RunlaneOptions.DEFAULT_ENVIRONMENT);

  @Test
  void is_abandoned_by_its_second_attempt_which_launches_nothing() {
    Path launched = registries.resolve("launched");
    Folders.runnable(
        scene.polyfills, "shelf", "1", "read -r start\ntouch " + launched + "\n" + done(0));
    String runId = scene.start(new OwnerHost.Setup().withoutWorkers()).run("shelf");
    beginElsewhere(runId);

    OwnerClient owner = scene.start();

    assertThat(owner.ended(runId).getString("status")).isEqualTo("abandoned");
    assertThat(OwnerClient.events(owner.timeline(runId))).endsWith("run.abandoned");
    assertThat(launched).doesNotExist();
  }

  @Test
  void is_abandoned_also_where_others_had_given_it_back_before() throws Exception {
    Path launched = registries.resolve("launched");
    Path shelf = Folders.runnable(
        scene.polyfills, "shelf", "1", "read -r start\ntouch " + launched + "\n" + done(0));
    String runId = scene.start(new OwnerHost.Setup().withoutWorkers()).run("shelf");
    Path away = Files.move(shelf, registries.resolve("away"));
    scene.start();
    scene.hosts.get(0).awaitDurable(runId, run -> run.counters().releases() > 0);
    scene.hosts.remove(1).close();
    Files.move(away, shelf);
    beginElsewhere(runId);

    OwnerClient owner = scene.start();

    assertThat(owner.ended(runId).getString("status")).isEqualTo("abandoned");
    assertThat(launched).doesNotExist();
  }

  @Test
  void is_ended_where_nothing_had_created_it_when_its_process_died() {
    AtomicReference<Duration> passed = new AtomicReference<>(Duration.ZERO);
    Folders.runnable(scene.polyfills, "shelf", "1", "read -r start\n" + done(0));
    OwnerClient owner =
        scene.start(new OwnerHost.Setup().clock(() -> Clock.system().now().plus(passed.get())));
    OwnerHost host = scene.hosts.get(0);
    for (String runId : List.of("run_lost", "run_unwanted")) {
      await(host.store
          .activeRuns()
          .begin(new BeginRun(
              new RunIdentity(runId, "trc_1", ConnectorRef.of(runId.substring(4))),
              RunTrigger.RUN_NOW,
              null,
              null,
              new ControllerProcess("ctl_gone", "elsewhere/pid:[1]", "boot", 7, 1, null),
              Clock.system().now())));
    }
    assertThat(owner.post("/_ref/runs/run_unwanted/cancel").status()).isEqualTo(202);
    assertThat(owner.get("/_ref/runs/run_lost").body().getString("status")).isEqualTo("active");

    passed.set(Duration.ofMinutes(6));

    assertThat(owner.ended("run_lost").getString("terminal_reason")).isEqualTo("launch_failed");
    assertThat(owner.ended("run_unwanted").getString("terminal_reason"))
        .isEqualTo("owner_cancelled");
  }

  /** What is left of a worker on another machine that died in its attempt, its lease over. */
  private void beginElsewhere(String runId) {
    OwnerHost host = scene.hosts.get(0);
    PgConnection connection = await(PgConnection.connect(host.vertx, scene.address()));
    await(connection
        .preparedQuery("UPDATE " + scene.schema()
            + ".controller_active_runs SET host_id = 'elsewhere', address = NULL WHERE run_id = $1")
        .execute(Tuple.of(runId)));
    await(connection.close());

    PgStorageAdapter storage = PgStorageAdapter.create(
        host.vertx,
        new PgStorageOptions().setConnectOptions(scene.address()).setSchema(scene.schema()));
    await(storage.start());
    RunRecord run = await(storage.getRun(new GetRun(ENVIRONMENT, runId))).orElseThrow();
    Instant dueAt = run.runAt();
    Instant begun = dueAt == null ? run.updatedAt() : dueAt;
    EventHeader header = EventHeader.bySystem(ENVIRONMENT, runId, begun);
    List<RunEvent> events = List.of(
        new RunEvent.LeaseClaimed(
            header, new Lease("tok_elsewhere", "worker_elsewhere", begun.plusMillis(1))),
        new RunEvent.Started(header, run.counters().attempts() + 1));
    assertThat(await(storage.claimRunLease(new ClaimRunLease(
            ENVIRONMENT,
            runId,
            run.eventSequence(),
            events,
            RunReducer.projectRunEvents(run, run.eventSequence(), events),
            host.controller.queue().policy(),
            begun))))
        .isPresent();
    await(storage.close());
  }
}
