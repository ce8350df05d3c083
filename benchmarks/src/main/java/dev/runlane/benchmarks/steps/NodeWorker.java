package dev.runlane.benchmarks.steps;

import dev.runlane.testinfra.NodePackages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A worker of the published Node package, with its own defaults, as the interoperability tests run it. */
final class NodeWorker implements AutoCloseable {
  private static final Path SOURCE = Path.of("transport-sql", "interop");

  private final Process process;

  private NodeWorker(Process process) {
    this.process = process;
  }

  /** Installs the package below {@code target}; empty where Node or its registry cannot be had. */
  static Optional<Path> installed(Path project) {
    return NodePackages.install(
        project.resolve(SOURCE), project.resolve(Path.of("benchmarks", "target", "node-worker")));
  }

  /** Starts it on the steps of this group. */
  static NodeWorker start(Path folder, String database, String group) {
    ProcessBuilder builder = new ProcessBuilder("node", "worker.mjs")
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("worker.log").toFile());
    builder
        .environment()
        .putAll(Map.of(
            "DATABASE_URL",
            database,
            "PREFIX",
            "durable",
            "GROUP",
            group,
            "LEASE_MILLIS",
            "30000"));
    try {
      return new NodeWorker(builder.start());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
