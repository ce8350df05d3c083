package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Compiles and runs the README's example. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  private final Vertx vertx = Vertx.vertx();
  private final PgConnectOptions address =
      PgStorageFixture.connectOptions(PostgresServers.shared().createDatabase("readme"));
  private final Pool pool = PgBuilder.pool().connectingTo(address).using(vertx).build();
  private final QueuePolicy queue = Scene.DEFAULT_QUEUE;
  private final Instant now = Scene.NOON;
  private final AppendRunEvents creation = TestRuns.queued("run_1").creation();
  private final List<RunEvent> events = creation.events();
  private final RunRecord run = creation.projectedRun();

  @AfterEach
  void close() {
    done(vertx.close());
  }

  @Test
  void the_example_stores_a_run_together_with_its_order() {
    done(pool.query("CREATE TABLE orders (id integer PRIMARY KEY)").execute());

    assertThat(done(example()).run()).isEqualTo(run);

    assertThat(done(pool.query("SELECT run_id FROM runlane.active_runs, orders").execute())
            .size())
        .isEqualTo(1);
  }

  @Test
  void the_readme_shows_this_example() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/dev/runlane/storage/pg/ReadmeTest.java"));
    String example = source.substring(
        source.indexOf("    // readme:begin\n") + "    // readme:begin\n".length(),
        source.indexOf("    // readme:end\n"));

    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + example.replaceAll("(?m)^    ", "") + "```");
  }

  private Future<AppendedRun> example() {
    // readme:begin
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx, new PgStorageOptions().setConnectOptions(address).setSchema("runlane"));
    Lane lane =
        Lanes.create(storage, storage.notifyTransport(), new LaneOptions().setName("orders"));

    return lane.start()
        .compose(started -> pool.withTransaction(transaction -> transaction
            .query("INSERT INTO orders (id) VALUES (7)")
            .execute()
            .compose(inserted -> storage
                .on(transaction)
                .appendRunEvents(AppendRunEvents.of(run, events, now).in(queue)))));
    // readme:end
  }
}
