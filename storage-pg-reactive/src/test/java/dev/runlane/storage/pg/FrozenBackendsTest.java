package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.read.GetRun;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import io.vertx.core.Future;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The backends of one process are stopped while the server goes on. */
@Tag("drill")
@DisplayNameGeneration(ReplaceUnderscores.class)
class FrozenBackendsTest {
  private final EmbeddedPostgres server = EmbeddedPostgres.builder().start();
  private final Scene scene = Scene.on(new PgStorageOptions()
      .setConnectOptions(PgStorageFixture.connectOptions(server.createDatabase("frozen")))
      .setPoolOptions(new PoolOptions().setMaxSize(4))
      .setStatementDeadline(Duration.ofSeconds(2)));
  private final List<String> stopped = new ArrayList<>();
  private PgStorageAdapter storage;

  @BeforeEach
  void start() {
    storage = scene.start();
  }

  @AfterEach
  void close() throws Exception {
    try {
      signal("-CONT");
      scene.close();
    } finally {
      server.close();
    }
  }

  @Test
  void what_was_sent_to_them_fails_and_all_else_goes_on_over_new_ones() throws Exception {
    RunRecord before = Scene.storeInTheEnd("run_before", TestRuns::queued, storage);
    stopBackends();

    List<Future<RunRecord>> sent = IntStream.range(0, 500)
        .mapToObj(i -> TestRuns.queued("run_" + i).storeIn(storage))
        .toList();
    long lost = sent.stream()
        .map(each -> done(each.map(false).recover(failure -> {
          Scene.unavailable(each);
          return Future.succeededFuture(true);
        })))
        .filter(failed -> failed)
        .count();

    assertThat(lost).as("what was on its way to a stopped backend").isBetween(1L, 500L);
    Scene.storeInTheEnd("run_after", TestRuns::succeeded, storage);
    assertThat(Scene.inTheEnd(() -> storage.getRun(new GetRun(Scene.ENVIRONMENT, before.id()))))
        .contains(before);
  }

  private void stopBackends() throws Exception {
    for (Row row : done(scene
        .connect()
        .query("SELECT pid FROM pg_stat_activity"
            + " WHERE application_name = 'runlane' AND datname = current_database()")
        .execute())) {
      stopped.add(String.valueOf(row.getInteger(0)));
    }
    assertThat(stopped).isNotEmpty();
    signal("-STOP");
  }

  private void signal(String signal) throws IOException, InterruptedException {
    if (!stopped.isEmpty()) {
      List<String> command = new ArrayList<>(List.of("kill", signal));
      command.addAll(stopped);
      new ProcessBuilder(command).start().waitFor(); // one that has ended meanwhile is no failure
    }
  }
}
