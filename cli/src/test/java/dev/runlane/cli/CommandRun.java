package dev.runlane.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The command and a connector, mostly of {@code hostile/}: as a process of its own with a small heap, or on a thread of
 * this one.
 */
final class CommandRun implements AutoCloseable {
  static final Path HOSTILE = CommandJvm.HOSTILE;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> SMALL =
      CommandJvm.java("-Xmx96m", CommandJvm.SHORT, "-XX:+UseSerialGC");
  private static final int SECONDS = 90;
  private static final long LONGEST_SECONDS = 600;
  private static final List<String> ENDS =
      List.of("run.completed", "run.failed", "run.cancelled", "run.abandoned");

  private final String mark = "HOSTILE_RUN=" + UUID.randomUUID();
  private final List<JsonNode> lines = new ArrayList<>();
  private final Process process;
  private final BufferedReader output;
  private final CompletableFuture<String> errors;

  private CommandRun(Launch launch, String manifest, List<String> options, List<String> connector)
      throws IOException {
    List<String> arguments = new ArrayList<>(List.of("connectors", "run", "--manifest", manifest));
    arguments.addAll(List.of("--format", "jsonl", "--env", mark));
    arguments.addAll(options);
    arguments.add("--");
    arguments.addAll(connector);
    process = launch.of(arguments);
    CompletableFuture.delayedExecutor(LONGEST_SECONDS, TimeUnit.SECONDS)
        .execute(process::destroyForcibly); // so that a command that hangs fails its test
    output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    errors = CompletableFuture.supplyAsync(this::readErrors, work -> new Thread(work).start());
  }

  private interface Launch {
    Process of(List<String> arguments) throws IOException;
  }

  private static Process program(List<String> java, List<String> arguments) throws IOException {
    // A build that runs in the background would hand its ignored SIGINT on.
    List<String> command = new ArrayList<>(List.of("/usr/bin/env", "--default-signal=INT"));
    command.addAll(java);
    command.add(RunlaneProgram.class.getName());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("HOSTILE_TOKEN", "s3cr3t-Token.of-the/owner");
    return builder.start();
  }

  /** Starts the command on {@code hostile/SCRIPT}. */
  static CommandRun of(List<String> options, String script, String... arguments)
      throws IOException {
    return on(command -> program(SMALL, command), options, script, arguments);
  }

  /** The same in this process: for what connector and command do, not its heap, its exit, a signal or a secret. */
  static CommandRun here(List<String> options, String script, String... arguments)
      throws IOException {
    return on(CommandThread::new, options, script, arguments);
  }

  /** The same within a heap of another size, and with both compilers: for much output. */
  static CommandRun within(String heap, List<String> options, String script, String... arguments)
      throws IOException {
    List<String> java = CommandJvm.java("-Xmx" + heap, "-XX:+UseSerialGC");
    return on(command -> program(java, command), options, script, arguments);
  }

  private static CommandRun on(
      Launch launch, List<String> options, String script, String... arguments) throws IOException {
    List<String> connector =
        new ArrayList<>(List.of("sh", HOSTILE.resolve(script).toString()));
    connector.addAll(List.of(arguments));
    return new CommandRun(launch, HOSTILE + "/manifest.json", options, connector);
  }

  /** Starts the command on any connector. */
  static CommandRun ofManifest(String manifest, List<String> options, List<String> connector)
      throws IOException {
    return new CommandRun(command -> program(SMALL, command), manifest, options, connector);
  }

  /** The same in this process. */
  static CommandRun hereOfManifest(String manifest, List<String> options, List<String> connector)
      throws IOException {
    return new CommandRun(CommandThread::new, manifest, options, connector);
  }

  /** One line for whoever answers questions. */
  CommandRun type(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(UTF_8));
    process.getOutputStream().flush();
    return this;
  }

  /** Ctrl-C. */
  void interrupt() throws Exception {
    assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
            .start()
            .waitFor(SECONDS, TimeUnit.SECONDS))
        .isTrue();
  }

  /** Reads up to an event of this type. */
  CommandRun awaitEvent(String type) throws IOException {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (take(line).path("event_type").asText().equals(type)) {
        return this;
      }
    }
    throw new AssertionError("the command ended without " + type + ": " + lines);
  }

  /** The command's exit code; all it says has been read then. */
  int exitCode() throws Exception {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      take(line);
    }
    assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  List<String> eventTypes() {
    return lines.stream()
        .filter(line -> line.path("kind").asText().equals("event"))
        .map(line -> line.path("event_type").asText())
        .toList();
  }

  /** The keys of the records that were shown. */
  List<String> records() {
    return lines.stream()
        .filter(line -> line.path("kind").asText().equals("record"))
        .map(line -> line.path("key").asText())
        .toList();
  }

  JsonNode summary() {
    JsonNode last = lines.get(lines.size() - 1);
    assertThat(last.path("kind").asText()).as("%s, errors %s", lines, errors).isEqualTo("summary");
    return last;
  }

  JsonNode violation() {
    return lines.stream()
        .filter(line -> line.path("kind").asText().equals("violation"))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no violation in " + lines));
  }

  /** Everything the command printed. */
  String printed() {
    return lines + "\n" + errors.join();
  }

  /** A member of the terminal event's data. */
  JsonNode terminal(String name) {
    return summary().path("terminal").path(name);
  }

  /** How many records were taken, of whatever stream. */
  int accepted() {
    int accepted = 0;
    for (JsonNode stream : summary().path("records")) {
      accepted += stream.path("accepted").asInt();
    }
    return accepted;
  }

  /** The run ended once, and no process that the connector started lives, whatever session it moved to. */
  void assertOneEndAndNothingLeft() throws IOException {
    assertThat(eventTypes()).filteredOn(ENDS::contains).hasSize(1);
    assertThat(eventTypes()).last().isIn(ENDS);
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      assertThat(processes.filter(this::isMarked)).isEmpty();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  private boolean isMarked(Path process) {
    try {
      return process.getFileName().toString().matches("\\d+")
          && Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1)
              .contains(mark);
    } catch (IOException gone) {
      return false;
    }
  }

  private JsonNode take(String line) throws IOException {
    JsonNode read =
        line.startsWith("{") ? JSON.readTree(line) : JSON.createObjectNode().put("text", line);
    lines.add(read);
    return read;
  }

  private String readErrors() {
    try {
      return new String(process.getErrorStream().readAllBytes(), UTF_8);
    } catch (IOException closed) {
      return "";
    }
  }
}
