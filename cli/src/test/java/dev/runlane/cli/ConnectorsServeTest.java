package dev.runlane.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.cli.report.ExitCode;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.process.Poll;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("runlane connectors serve")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConnectorsServeTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final String VARIABLE = "RUNLANE_SECRET__SHELF__TOKEN";

  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir
  private Path folder;

  private Path connectors;
  private Process process;
  private BufferedReader said;
  private String address;
  private String token;
  private String before; // the lines that the last one waited for came after
  private String leftOut;

  @BeforeEach
  void a_shelf() throws IOException {
    connectors = Files.createDirectory(folder.resolve("connectors"));
    Path shelf = Files.createDirectory(connectors.resolve("shelf"));
    Files.writeString(shelf.resolve("manifest.json"), """
        {"connector_id": "shelf", "version": "1",
         "streams": [{"name": "books", "primary_key": ["isbn"]}]}""");
    Files.writeString(
        shelf.resolve("launch.json"),
        "{\"command\": [\"sh\", \"shelf.sh\"], \"secrets\": [\"TOKEN\"]}");
    Files.writeString(shelf.resolve("shelf.sh"), """
        read -r start
        [ "$TOKEN" = s3cret-of-the-shelf ] || exit 9
        grep -qaF s3cret-of-the-shelf /proc/$PPID/environ && exit 10
        echo '{"type":"PROGRESS","message":"up"}'
        case $start in *full_refresh*) exec sleep 600 ;; esac
        echo '{"type":"DONE","status":"succeeded","records_emitted":0}'
        """);
  }

  @AfterEach
  void end() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @Test
  void keeps_what_it_did_in_a_postgres_of_its_own_from_start_to_start() throws Exception {
    Path lamp = Files.createDirectory(connectors.resolve("lamp"));
    Files.writeString(lamp.resolve("manifest.json"), "{\"connector_id\": \"lamp\"}");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    List<String> options = List.of("--data", folder.resolve("data").toString());
    serve(options);
    assertThat(folder.resolve("data")).as("Postgres's own files").isDirectory();
    assertThat(leftOut).as("what cannot be used").contains(lamp + " is left out: ");
    assertThat(request("GET", "/connectors?limit=100", "").path("data")).hasSize(1);
    String first = run("/connectors/shelf/run");
    assertThat(await("/runs/" + first, run -> !status(run).equals("active"))
            .path("status")
            .asText())
        .isEqualTo("completed");
    assertThat(request("PUT", "/connectors/shelf/schedule", "{\"interval_seconds\": 3600}")
            .path("object")
            .asText())
        .isEqualTo("schedule");
    String open = run("/connectors/shelf/streams/books/full-refresh");
    await("/runs/" + open + "/timeline", told -> told.toString().contains("progress_reported"));
    String ofFirstStart = token;

    interrupt();

    assertThat(filesWith(ofFirstStart)).as("its token stands in no file").isEmpty();
    serve(Stream.concat(options.stream(), Stream.of("--limit-output", "40")).toList());
    assertThat(token).as("another at every start").isNotEqualTo(ofFirstStart);
    assertThat(status(request("GET", "/runs/" + first, ""))).isEqualTo("completed");
    assertThat(status(request("GET", "/runs/" + open, ""))).isEqualTo("abandoned");
    assertThat(request("GET", "/schedules", "").path("data")).hasSize(1);
    assertThat(request("GET", "/runs/" + first + "/timeline", "").toString())
        .contains("progress_reported");
    String limited = run("/connectors/shelf/run"); // it writes 90 bytes
    assertThat(status(await("/runs/" + limited, shown -> !status(shown).equals("active"))))
        .isEqualTo("failed");
    interrupt();
  }

  @Test
  void removes_what_is_older_than_it_is_told_to_keep() throws Exception {
    Files.writeString(
        connectors.resolve("shelf/launch.json"),
        "{\"command\": [\"sh\", \"-c\", \"TOKEN=s3cret-of-the-shelf . ./shelf.sh\"]}");
    String database = PostgresServers.shared().createDatabase("serve").toUri();
    String run;
    try (Started first = serveHere(database)) {
      run = run("/connectors/shelf/run");
      await("/runs/" + run, shown -> status(shown).equals("completed"));
      assertThat(request("GET", "/runs/" + run + "/timeline", "").toString())
          .contains("progress_reported");
      assertThat(first.interrupt()).isEqualTo(ExitCode.INTERRUPTED.value());
    }

    try (Started second = serveHere(database, "--retention", "1ms")) {
      await("/runs/" + run + "/timeline", told -> !told.toString().contains("progress_reported"));
      assertThat(status(request("GET", "/runs/" + run, ""))).isEqualTo("completed");
      assertThat(second.interrupt()).isEqualTo(ExitCode.INTERRUPTED.value());
    }
  }

  /** In this process. */
  private Started serveHere(String database, String... options) {
    List<String> command =
        new ArrayList<>(List.of("connectors", "serve", "--port", "0", "--database", database));
    command.addAll(List.of(options));
    command.add(connectors.toString());
    Started started = new Started(Map.of(), command.toArray(String[]::new));
    address = started.after("Serving shelf at ");
    token = started.after("  TOKEN=");
    return started;
  }

  private List<Path> filesWith(String text) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (new String(Files.readAllBytes(file), ISO_8859_1).contains(text)) {
          found.add(file);
        }
      }
    }
    return found;
  }

  @Test
  void says_in_one_line_why_it_cannot_start() throws Exception {
    String database = PostgresServers.shared().createDatabase("serve").toUri();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Printed printed = Printed.by(
          "connectors",
          "serve",
          "--database",
          database,
          "--port",
          Integer.toString(taken.getLocalPort()),
          connectors.toString());

      assertThat(printed.exitCode()).isEqualTo(ExitCode.FAILED.value());
      assertThat(printed.err().lines()).hasSize(1);
      assertThat(printed.err())
          .startsWith("runlane: ")
          .contains(Integer.toString(taken.getLocalPort()));
    }
    Path file = Files.writeString(
        folder.resolve("address"), "postgresql://mallory:s3cret@127.0.0.1:1/orders\n");
    Printed nobody = Printed.by(
        "connectors", "serve", "--database-file", file.toString(), connectors.toString());
    assertThat(nobody.exitCode()).isEqualTo(ExitCode.FAILED.value());
    assertThat(nobody.err().lines()).hasSize(1);
    assertThat(nobody.err())
        .startsWith("runlane: ")
        .doesNotContain("s3cret")
        .doesNotContain("127.0.0.1:1")
        .doesNotContain("mallory")
        .doesNotContain("orders");
  }

  @Test
  void refuses_a_folder_without_connectors() throws Exception {
    Printed empty = Printed.by(
        "connectors", "serve", Files.createDirectory(folder.resolve("empty")).toString());
    Printed missing =
        Printed.by("connectors", "serve", folder.resolve("missing").toString());

    assertThat(empty.exitCode()).isEqualTo(ExitCode.USAGE.value());
    assertThat(empty.err()).contains("manifest.json").hasLineCount(1);
    assertThat(missing.exitCode()).isEqualTo(ExitCode.USAGE.value());
    assertThat(missing.err()).contains("there is no folder").hasLineCount(1);
  }

  private void serve(List<String> options) throws IOException {
    List<String> command = new ArrayList<>(List.of(
        "/usr/bin/env",
        "--default-signal=INT",
        Path.of("../connector-runtime/secrets-apart.sh").toAbsolutePath().toString()));
    command.addAll(CommandJvm.java(CommandJvm.SHORT));
    command.addAll(List.of(RunlaneProgram.class.getName(), "connectors", "serve", "--port", "0"));
    command.addAll(options);
    command.add(connectors.toString());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put(VARIABLE, "s3cret-of-the-shelf");
    process = builder.start();
    said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    address = line("Serving shelf at ").substring("Serving shelf at ".length());
    leftOut = before;
    token = line("  TOKEN=").substring("  TOKEN=".length());
    assertThat(address).startsWith("http://127.0.0.1:");
    line("Ctrl-C ends it");
  }

  /** Ctrl-C, and that nothing is left of it. */
  private void interrupt() throws Exception {
    assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
            .start()
            .waitFor())
        .isZero();
    assertThat(line("Ended")).isEqualTo("Ended");
    assertThat(said.readLine()).isNull();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isEqualTo(ExitCode.INTERRUPTED.value());
    assertThat(Poll.until(Duration.ofNanos(LONGEST_NANOS), this::isNothingLeft)).isTrue();
  }

  /** What watches over its Postgres ends a moment after it. */
  private boolean isNothingLeft() {
    return ProcessHandle.allProcesses()
        .map(each -> each.info().commandLine().orElse(""))
        .noneMatch(line -> line.contains(folder.toString()));
  }

  private String line(String start) throws IOException {
    StringBuilder passed = new StringBuilder();
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      if (line.startsWith(start)) {
        before = passed.toString();
        return line;
      }
      passed.append(line).append('\n');
    }
    throw new AssertionError("no line " + start + " in " + passed);
  }

  private String run(String path) throws Exception {
    return request("POST", path, "").path("run_id").asText();
  }

  private static String status(JsonNode run) {
    return run.path("status").asText();
  }

  private JsonNode await(String path, Predicate<JsonNode> wanted) throws Exception {
    long end = System.nanoTime() + LONGEST_NANOS;
    JsonNode answer = request("GET", path, "");
    while (!wanted.test(answer)) {
      assertThat(System.nanoTime()).as("still %s", answer).isLessThan(end);
      LockSupport.parkNanos(20_000_000);
      answer = request("GET", path, "");
    }
    return answer;
  }

  private JsonNode request(String method, String path, String body) throws Exception {
    return JSON.readTree(http.send(
            HttpRequest.newBuilder(URI.create(address + path))
                .header("Authorization", "Bearer " + token)
                .method(method, BodyPublishers.ofString(body))
                .build(),
            BodyHandlers.ofString())
        .body());
  }
}
