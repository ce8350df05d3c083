package com.example.connectors;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("the complete program of the page about the controller")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConnectorsProgramTest {
  private static final String TOKEN = "a-token-of-the-owner";
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir
  private Path folder;

  private Process program;
  private String database;

  @AfterEach
  void end() {
    if (program != null) {
      program.destroyForcibly();
    }
  }

  @Test
  void stands_on_the_page() throws Exception {
    Path source = Path.of("src/test/java/com/example/connectors/ConnectorsProgram.java");

    assertThat(Files.readString(Path.of("CONTROLLER.md")))
        .contains("```java\n" + Files.readString(source) + "```");
  }

  @Test
  void runs_the_connectors_of_a_folder_for_their_owner_until_it_is_stopped() throws Exception {
    Path shelf = Files.createDirectory(folder.resolve("shelf"));
    Files.writeString(shelf.resolve("manifest.json"), """
        {"connector_id": "shelf", "version": "1",
         "streams": [{"name": "books", "primary_key": ["isbn"]}]}""");
    Files.writeString(shelf.resolve("launch.json"), "{\"command\": [\"sh\", \"shelf.sh\"]}");
    Files.writeString(
        shelf.resolve("shelf.sh"),
        "tr '\\0' '\\n' < /proc/$PPID/cmdline > seen; tr '\\0' '\\n' < /proc/$PPID/environ >> seen\n"
            + "read -r start\necho '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'\n");
    String address = start();

    assertThat(send(HttpRequest.newBuilder(URI.create(address + "/runs"))).statusCode())
        .isEqualTo(401);
    HttpResponse<String> begun =
        send(owner(address + "/connectors/shelf/run").POST(BodyPublishers.noBody()));
    assertThat(begun.statusCode()).isEqualTo(202);
    String run = address + "/runs/" + new JsonObject(begun.body()).getString("run_id");
    assertThat(ended(run)).isEqualTo("completed");
    assertThat(Files.readString(shelf.resolve("seen")))
        .as("what a child sees of the program")
        .contains("ConnectorsProgram", "PATH=")
        .doesNotContain(TOKEN, database);

    program.destroy();
    assertThat(program.waitFor(1, TimeUnit.MINUTES)).isTrue();
  }

  private String start() throws Exception {
    ProcessBuilder builder = new ProcessBuilder(
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            ConnectorsProgram.class.getName(),
            folder.toString(),
            "0")
        .redirectError(ProcessBuilder.Redirect.INHERIT);
    database = PostgresServers.shared().createDatabase("program").toUri();
    builder.environment().put("RUNLANE_SECRET__DATABASE", database);
    builder.environment().put("RUNLANE_SECRET__OWNER_TOKEN", TOKEN);
    program = builder.start();
    String address =
        new BufferedReader(new InputStreamReader(program.getInputStream(), UTF_8)).readLine();
    assertThat(address).startsWith("http://127.0.0.1:");
    return address;
  }

  private String ended(String run) throws Exception {
    long end = System.nanoTime() + LONGEST_NANOS;
    String status = "active";
    while (status.equals("active") && System.nanoTime() < end) {
      LockSupport.parkNanos(20_000_000);
      status = new JsonObject(send(owner(run)).body()).getString("status");
    }
    return status;
  }

  private static HttpRequest.Builder owner(String address) {
    return HttpRequest.newBuilder(URI.create(address)).header("Authorization", "Bearer " + TOKEN);
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofString());
  }
}
