package com.example.connectors;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.controller.ConnectorControllerOptions;
import dev.runlane.connector.controller.RunRequest;
import dev.runlane.connector.controller.RunView.Status;
import dev.runlane.connector.controller.StartOutcome;
import dev.runlane.connector.controller.registry.ConnectorRegistry;
import dev.runlane.connector.server.ConnectorServer;
import dev.runlane.connector.server.ConnectorServerOptions;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.connector.store.record.RecordChange;
import dev.runlane.connector.store.record.StoredRecord;
import dev.runlane.lane.Lanes;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("the reader of records of the page about the controller")
@DisplayNameGeneration(ReplaceUnderscores.class)
class BooksTest {
  private static final Path PAGE = Path.of("CONTROLLER.md");
  private static final int MOST_LOOKS = 3_000;

  private final Vertx vertx = Vertx.vertx();
  private final PgConnectOptions database =
      PgConnectOptions.fromUri(PostgresServers.shared().createDatabase("books").toUri());
  private final PgConnectorStore store =
      PgConnectorStore.create(vertx, new PgConnectorStoreOptions().setConnectOptions(database));

  @TempDir
  private Path folder;

  @AfterEach
  void close() throws Exception {
    vertx.close().await(30, SECONDS);
  }

  @Test
  void stands_on_the_page() throws Exception {
    Path source = Path.of("src/test/java/com/example/connectors/Books.java");

    assertThat(Files.readString(PAGE)).contains("```java\n" + Files.readString(source) + "```");
  }

  @Test
  void reads_what_was_collected_and_follows_what_changes() throws Exception {
    ConnectorServer server = server();
    server.start().await(60, SECONDS);
    Books books = new Books(store);

    collect(server, "a", "b");
    List<RecordChange> first = new ArrayList<>();
    long known = books.changes(0, first::add).await(30, SECONDS);
    collect(server, "c");
    List<String> later = new ArrayList<>();
    long last = books.changes(known, change -> later.add(change.record().key())).await(30, SECONDS);
    List<String> all = new ArrayList<>();
    books.all(record -> all.add(record.key())).await(30, SECONDS);

    assertThat(first).extracting(change -> change.record().key()).containsExactly("a", "b");
    assertThat(later).containsExactly("c");
    assertThat(all).containsExactly("a", "b", "c");
    assertThat(books.book("b").await(30, SECONDS)).isPresent();
    assertThat(books.book("d").await(30, SECONDS)).isEmpty();
    assertThat(books.isComplete(last).await(30, SECONDS)).isTrue();
    assertThat(books.isComplete(last + 1).await(30, SECONDS)).isFalse();
    server.close().await(60, SECONDS);
  }

  @Test
  void a_record_that_is_erased_by_the_statement_of_the_page_is_gone_and_may_come_again()
      throws Exception {
    ConnectorServer server = server();
    server.start().await(60, SECONDS);
    Books books = new Books(store);
    collect(server, "a", "b");
    long known = books.changes(0, change -> {}).await(30, SECONDS);

    PgConnection connection = PgConnection.connect(vertx, database).await(30, SECONDS);
    connection.query(erasing("a")).execute().await(30, SECONDS);
    connection.close().await(30, SECONDS);
    List<StoredRecord> changed = new ArrayList<>();
    books.changes(0, change -> changed.add(change.record())).await(30, SECONDS);
    boolean complete = books.isComplete(known).await(30, SECONDS);
    Optional<StoredRecord> erased = books.book("a").await(30, SECONDS);
    collect(server, "a", "b");
    List<StoredRecord> later = new ArrayList<>();
    books.changes(known, change -> later.add(change.record())).await(30, SECONDS);

    assertThat(erased).isEmpty();
    assertThat(complete).isTrue();
    assertThat(changed).extracting(StoredRecord::deleted).containsExactly(true, false);
    assertThat(changed.get(0).data()).isNull();
    assertThat(later).singleElement().satisfies(record -> {
      assertThat(record.key()).isEqualTo("a");
      assertThat(record.version()).isEqualTo(1);
      assertThat(record.data()).isNotNull();
    });
    server.close().await(60, SECONDS);
  }

  private static String erasing(String key) throws Exception {
    String section = Files.readString(PAGE).split("## Erasing records")[1];
    return section.split("```sql\n|```")[1].replace("978-3-16-148410-0", key);
  }

  private ConnectorServer server() throws Exception {
    Path shelf = Files.createDirectory(folder.resolve("shelf"));
    Files.writeString(shelf.resolve("manifest.json"), """
        {"connector_id": "shelf", "version": "1",
         "streams": [{"name": "books", "primary_key": ["isbn"]}]}""");
    Files.writeString(shelf.resolve("launch.json"), "{\"command\": [\"sh\", \"shelf.sh\"]}");

    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
    return new ConnectorServer(
        vertx,
        store,
        Lanes.create(storage, storage.notifyTransport()),
        storage::on,
        new ConnectorServerOptions()
            .setPort(0)
            .setOwnerToken("a-token-of-the-owner")
            .setController(new ConnectorControllerOptions().setHostEnvironment(System.getenv()))
            .setConnectors(ConnectorRegistry.read(folder)));
  }

  private void collect(ConnectorServer server, String... isbns) throws Exception {
    StringBuilder script = new StringBuilder("read -r start\n");
    for (String isbn : isbns) {
      script.append("echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"" + isbn
          + "\",\"emitted_at\":\"2026-03-04\",\"data\":{\"isbn\":\"" + isbn + "\"}}'\n");
    }
    script.append("echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":"
        + isbns.length + "}'\n");
    Files.writeString(folder.resolve("shelf/shelf.sh"), script);
    StartOutcome begun = server.controller().start(RunRequest.now("shelf")).await(30, SECONDS);
    String run = ((StartOutcome.Started) begun).run().run().runId();
    Status status = Status.ACTIVE;
    for (int look = 0; look < MOST_LOOKS && status == Status.ACTIVE; look++) {
      vertx.timer(20, MILLISECONDS).await(30, SECONDS);
      status = server.controller().find(run).await(30, SECONDS).orElseThrow().status();
    }
    assertThat(status).isEqualTo(Status.COMPLETED);
  }
}
