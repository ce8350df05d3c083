package dev.runlane.steps.sql;

import dev.runlane.testinfra.NodePackages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** Programs of a folder of this module, run by Node with the packages of its lock file. */
final class NodePrograms implements AutoCloseable {
  private final Path folder;
  private final List<Process> started = new ArrayList<>();

  private NodePrograms(Path folder) {
    this.folder = folder;
  }

  /** Copies the folder below {@code target} and installs its packages; leaves the test out without Node. */
  static NodePrograms of(String source) {
    Optional<Path> folder =
        NodePackages.install(Path.of(source), Path.of("target", "node", source).toAbsolutePath());
    Assumptions.assumeTrue(
        folder.isPresent(), "Node with npm, and the packages that " + source + " locks");
    return new NodePrograms(folder.orElseThrow());
  }

  /** What programs of the package are given of tables: their own workers and engines share them with ours. */
  static Map<String, String> environment(SqlStepFixture tables, String group, Duration lease) {
    Map<String, String> environment = new HashMap<>();
    environment.put("DATABASE_URL", tables.uri());
    environment.put("PREFIX", tables.options().getPrefix());
    environment.put("GROUP", group);
    environment.put("LEASE_MILLIS", String.valueOf(lease.toMillis()));
    return environment;
  }

  /** Sends a program the line it waits for. */
  static void goOn(Process program) throws IOException {
    program.outputWriter().write("go on\n");
    program.outputWriter().flush();
  }

  Process start(String program, Map<String, String> environment) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("node", program)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(log(program, started.size()).toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    started.add(process);
    return process;
  }

  String output(String program, int number) throws IOException {
    return Files.readString(log(program, number));
  }

  private Path log(String program, int number) {
    return folder.resolve(program + "." + number + ".log");
  }

  /** Whether a program has said something by now. */
  boolean said(String program, int number, String text) {
    try {
      return output(program, number).contains(text);
    } catch (IOException notYet) {
      return false;
    }
  }

  @Override
  public void close() {
    started.forEach(Process::destroyForcibly);
  }
}
