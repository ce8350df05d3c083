package dev.runlane.drills.steps;

import dev.runlane.testinfra.NodePackages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** Worker processes of the published Node package. They end when their standard input does. */
final class PackageWorkers implements AutoCloseable {
  private static final Path SOURCE = Path.of("..", "transport-sql", "interop");
  private static final Path INSTALLED = Path.of("target", "node", "interop");

  private final Path folder;
  private final Map<String, String> environment;
  private final Deque<Process> alive = new ArrayDeque<>();
  private int started;

  private PackageWorkers(Path folder, Map<String, String> environment) {
    this.folder = folder;
    this.environment = environment;
  }

  /**
   * None yet; leaves the drill out where Node or its packages cannot be had.
   *
   * @param lease how long a worker's claim on a step lasts
   */
  static PackageWorkers of(StepTables tables, Duration lease) {
    Path folder = NodePackages.install(SOURCE, INSTALLED.toAbsolutePath()).orElse(null);
    Assumptions.assumeTrue(folder != null, "Node with npm, and the packages of " + SOURCE);
    return new PackageWorkers(
        folder,
        Map.of(
            "DATABASE_URL",
            tables.uri(),
            "PREFIX",
            tables.prefix(),
            "GROUP",
            PackageRuntime.STEP,
            "LEASE_MILLIS",
            String.valueOf(lease.toMillis())));
  }

  void start() {
    ProcessBuilder worker = new ProcessBuilder("node", "worker.mjs")
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("worker-" + started++ + ".log").toFile());
    worker.environment().putAll(environment);
    try {
      alive.add(worker.start());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Kills the one that was started first, and starts another. */
  void replaceEldest() {
    alive.remove().destroyForcibly().onExit().join();
    start();
  }

  @Override
  public void close() {
    alive.forEach(worker -> worker.destroyForcibly().onExit().join());
  }
}
