package dev.runlane.example;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.process.FreePort;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the READMEs show is code that compiles and does what they say. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  private static final Path SOURCES = Path.of("src");

  @ParameterizedTest
  @CsvSource({
    "../README.md, test/java/dev/runlane/example/OrdersVerticle.java",
    "README.md, main/java/dev/runlane/example/OrderTasks.java"
  })
  void every_java_block_is_part_of_a_compiled_file(Path readme, Path source) throws IOException {
    String compiled = Files.readString(SOURCES.resolve(source));

    List<String> blocks = MarkdownPage.read(readme).blocks("java");

    assertThat(blocks).isNotEmpty().allSatisfy(block -> assertThat(compiled).contains(block));
  }

  @Test
  void an_order_that_arrives_over_http_is_run() throws Exception {
    PostgresAddress database = PostgresServers.shared().createDatabase("readme");
    PgConnectOptions options = PgConnectOptions.fromUri(database.toUri());
    int port = FreePort.find();
    Vertx vertx = Vertx.vertx();
    try {
      vertx.deployVerticle(new OrdersVerticle(options, port)).await(30, SECONDS);

      String runId = accepted(port, "{\"id\":\"A-1\",\"amountCents\":500}");
      String sameRunId = accepted(port, "{\"id\":\"A-1\",\"amountCents\":500}");

      assertThat(sameRunId).isEqualTo(runId);
      assertThat(endOf(runId, vertx, options)).isEqualTo(RunStatus.SUCCEEDED);
    } finally {
      vertx.close().await(30, SECONDS);
    }
  }

  private static RunStatus endOf(String runId, Vertx vertx, PgConnectOptions options)
      throws Exception {
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(options));
    Runlane reader = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(TaskQueue.of("nothing"))
        .build();
    reader.start().await(30, SECONDS);
    try {
      return reader.awaitRun(runId, Duration.ofSeconds(20)).await(30, SECONDS).status();
    } finally {
      reader.close().await(30, SECONDS);
    }
  }

  private static String accepted(int port, String order) throws Exception {
    HttpResponse<String> response = HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port))
                .POST(HttpRequest.BodyPublishers.ofString(order))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(202);
    return response.body();
  }
}
