package dev.runlane.connector.server;

import static dev.runlane.connector.controller.RunView.Status.ACTIVE;
import static dev.runlane.connector.controller.RunView.Status.COMPLETED;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.controller.ConnectorControllerOptions;
import dev.runlane.connector.controller.Folders;
import dev.runlane.connector.controller.RunRequest;
import dev.runlane.connector.controller.StartOutcome;
import dev.runlane.connector.controller.registry.ConnectorRegistry;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import dev.runlane.connector.schedule.ConnectorRetentionOptions;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.connector.store.timeline.RunTimeline.RunBounds;
import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.timing.BlockingCalls;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("a server of connectors")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConnectorServerTest {
  private static final String TOKEN = "a-token-of-16-ch";
  private static final int MOST_LOOKS = 3_000;
  private static final int RUNS = 8;
  private static final String DONE =
      "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'\n";

  private static final String TWO_BOOKS = """
      echo '{"type":"PROGRESS","message":"up"}'
      for n in 1 2; do
        echo '{"type":"RECORD","stream":"books","key":"'$n'","emitted_at":"2026-03-04","data":{"isbn":"'$n'"}}'
      done
      echo '{"type":"DONE","status":"succeeded","records_emitted":2}'
      """;

  private final PgConnectOptions database =
      PgConnectOptions.fromUri(PostgresServers.shared().createDatabase("server").toUri());
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(30, SECONDS);
  }

  private ConnectorServer server(ConnectorServerOptions options) {
    PgConnectorStore store =
        PgConnectorStore.create(vertx, new PgConnectorStoreOptions().setConnectOptions(database));
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
    Lane lane = Lanes.create(storage, storage.notifyTransport());
    return new ConnectorServer(vertx, store, lane, storage::on, options);
  }

  @Test
  void that_cannot_listen_says_why_and_closes_what_it_had_opened() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      ConnectorServer server =
          server(new ConnectorServerOptions().setPort(taken.getLocalPort()).setOwnerToken(TOKEN));

      Throwable failure = server
          .start()
          .transform((port, failed) -> Future.succeededFuture(failed))
          .await(60, SECONDS);

      assertThat(failure).isInstanceOfSatisfying(RunlaneException.class, why -> {
        assertThat(why.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
        assertThat(why).hasMessageContaining("127.0.0.1:" + taken.getLocalPort());
      });
    }
    assertThat(vertx.deploymentIDs()).isEmpty();
    awaitNoConnection();
  }

  /** A backend ends a moment after its connection is closed. */
  private void awaitNoConnection() throws Exception {
    PgConnection own = PgConnection.connect(vertx, database).await(30, SECONDS);
    long left = connections(own);
    for (int look = 0; look < MOST_LOOKS && left > 0; look++) {
      vertx.timer(10, MILLISECONDS).await(30, SECONDS);
      left = connections(own);
    }
    assertThat(left).isZero();
    own.close().await(30, SECONDS);
  }

  private static long connections(PgConnection own) throws Exception {
    return own.query("SELECT count(*) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            + " AND backend_type = 'client backend'")
        .execute()
        .await(30, SECONDS)
        .iterator()
        .next()
        .getLong(0);
  }

  @Test
  void listens_on_127_0_0_1_alone() throws Exception {
    ConnectorServer server = server(new ConnectorServerOptions().setPort(0).setOwnerToken(TOKEN));
    int port = server.start().await(60, SECONDS);

    connect("127.0.0.1", port);
    assertThatThrownBy(() -> connect("127.0.0.2", port)).isInstanceOf(ConnectException.class);

    server.close().await(60, SECONDS);
  }

  private static void connect(String address, int port) throws IOException {
    new Socket(address, port).close();
  }

  @Test
  void leaves_the_threads_of_blocking_handlers_to_the_application() throws Exception {
    server(new ConnectorServerOptions().setPort(0).setOwnerToken(TOKEN));
    BlockingCalls handlers = BlockingCalls.of(vertx, RUNS);
    CyclicBarrier together = new CyclicBarrier(RUNS);

    List<Future<Integer>> running = IntStream.range(0, RUNS)
        .mapToObj(run -> handlers.run(() -> together.await(30, SECONDS)))
        .toList();

    assertThat(Future.join(running).await(60, SECONDS).size()).isEqualTo(RUNS);
  }

  @Test
  void is_not_made_without_a_token_of_16_characters() {
    assertRefused(() -> server(new ConnectorServerOptions()));
    assertRefused(() -> new ConnectorServerOptions().setOwnerToken(TOKEN.substring(1)));
  }

  @Test
  void closes_connections_that_are_silent_for_two_minutes() {
    assertThat(ConnectorServer.httpOptions(new ConnectorServerOptions()).getIdleTimeout())
        .isEqualTo(120);
  }

  @Test
  void that_is_being_closed_leaves_runs_that_wait_to_others(@TempDir Path folder) throws Exception {
    Folders.runnable(
        folder,
        "stubborn",
        "1",
        "trap 'touch told' TERM\nread -r start\ntouch up\nwhile :; do sleep 0.1; done\n");
    for (int each = 0; each < RUNS; each++) {
      Folders.runnable(folder, "quick" + each, "1", "read -r start\n" + DONE);
    }
    ConnectorServerOptions options = new ConnectorServerOptions()
        .setPort(0)
        .setOwnerToken(TOKEN)
        .setController(new ConnectorControllerOptions().setHostEnvironment(System.getenv()))
        .setConnectors(ConnectorRegistry.read(folder));
    ConnectorServer first = server(options);
    first.start().await(60, SECONDS);
    begun(first, "stubborn");
    await(() -> Future.succeededFuture(Files.exists(folder.resolve("stubborn/up"))));
    ConnectorServer second = server(options);
    second.start().await(60, SECONDS);

    Future<Void> closed = first.close();
    await(() -> Future.succeededFuture(Files.exists(folder.resolve("stubborn/told"))));
    List<String> accepted = new ArrayList<>();
    for (int each = 0; each < RUNS; each++) {
      accepted.add(begun(second, "quick" + each));
    }

    for (String runId : accepted) {
      await(() -> second.controller().find(runId).map(run -> run.orElseThrow().status() != ACTIVE));
      assertThat(
              second.controller().find(runId).await(30, SECONDS).orElseThrow().status())
          .isEqualTo(COMPLETED);
    }
    closed.await(60, SECONDS);
    second.close().await(60, SECONDS);
  }

  @Test
  void deletes_what_is_old_of_runs_and_records_where_it_is_told_to(@TempDir Path folder)
      throws Exception {
    Folders.runnable(folder, "shelf", "1", "read -r start\n" + TWO_BOOKS);
    Duration age = Duration.ofMillis(1);
    Duration pause = Duration.ofMillis(20);
    ConnectorServer server = server(new ConnectorServerOptions()
        .setPort(0)
        .setOwnerToken(TOKEN)
        .setController(new ConnectorControllerOptions().setHostEnvironment(System.getenv()))
        .setConnectors(ConnectorRegistry.read(folder))
        .setRunRetention(new RetentionOptions().setOlderThan(age).setIdleDelay(pause))
        .setRetention(new ConnectorRetentionOptions()
            .setEventsOlderThan(age)
            .setChangesOlderThan(age)
            .setSweep(pause)));
    server.start().await(60, SECONDS);
    PgConnection own = PgConnection.connect(vertx, database).await(30, SECONDS);

    String run = begun(server, "shelf");
    await(() -> server.controller().find(run).map(each -> each.orElseThrow().status() != ACTIVE));

    await(() -> counted(own, "record_changes").map(left -> left == 1));
    await(() -> counted(own, "terminal_runs").map(left -> left == 0));
    await(() -> counted(own, "spine_events").map(left -> left == 2));
    assertThat(counted(own, "records").await(30, SECONDS)).isEqualTo(2);
    assertThat(server.controller().find(run).await(30, SECONDS).orElseThrow().status())
        .isEqualTo(COMPLETED);
    own.close().await(30, SECONDS);
    server.close().await(60, SECONDS);
  }

  @Test
  void ends_a_run_that_takes_longer_than_it_may_and_has_as_many_at_a_time_as_it_is_told(
      @TempDir Path folder) throws Exception {
    Duration limit = Duration.ofSeconds(1);
    Folders.runnable(folder, "first", "1", "exec sleep 600");
    Folders.runnable(folder, "second", "1", "exec sleep 600");
    ConnectorServer server = server(new ConnectorServerOptions()
        .setPort(0)
        .setOwnerToken(TOKEN)
        .setController(new ConnectorControllerOptions().setHostEnvironment(System.getenv()))
        .setConnectors(ConnectorRegistry.read(folder))
        .setRuns(new ConnectorRunOptions().setRunLimit(limit))
        .setWorker(new WorkerOptions().setConcurrency(1)));
    server.start().await(60, SECONDS);

    List<RunBounds> bounds = new ArrayList<>();
    for (String runId : List.of(begun(server, "first"), begun(server, "second"))) {
      await(
          () -> server.controller().find(runId).map(each -> each.orElseThrow().status() != ACTIVE));
      bounds.add(server.controller().timeline().bounds(runId).await(30, SECONDS));
    }

    assertThat(bounds).allSatisfy(each -> assertThat(
            each.terminal().orElseThrow().event().data().text())
        .contains("\"run_timed_out\""));
    assertThat(endOf(bounds.get(1)))
        .as("the second, which took its time too, began when the first had ended")
        .isAfter(endOf(bounds.get(0)).plus(limit.dividedBy(2)));
    server.close().await(60, SECONDS);
  }

  private static Instant endOf(RunBounds bounds) {
    return bounds.terminal().orElseThrow().event().occurredAt();
  }

  private static Future<Long> counted(PgConnection own, String table) {
    return own.query("SELECT count(*) FROM runlane." + table)
        .execute()
        .map(rows -> rows.iterator().next().getLong(0));
  }

  private static String begun(ConnectorServer server, String connectorId) throws Exception {
    StartOutcome outcome =
        server.controller().start(RunRequest.now(connectorId)).await(30, SECONDS);
    return ((StartOutcome.Started) outcome).run().run().runId();
  }

  private void await(Supplier<Future<Boolean>> condition) throws Exception {
    boolean met = condition.get().await(30, SECONDS);
    for (int look = 0; look < MOST_LOOKS && !met; look++) {
      vertx.timer(10, MILLISECONDS).await(30, SECONDS);
      met = condition.get().await(30, SECONDS);
    }
    assertThat(met).isTrue();
  }

  private static void assertRefused(Runnable making) {
    assertThatThrownBy(making::run)
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }
}
