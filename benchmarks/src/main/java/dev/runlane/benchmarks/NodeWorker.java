package dev.runlane.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A worker of the published Node package, with its own defaults, as the interoperability tests run it. */
final class NodeWorker implements AutoCloseable {
  private static final Path SOURCE = Path.of("transport-sql", "interop");
  private static final long INSTALL_MINUTES = 5;

  private final Process process;

  private NodeWorker(Process process) {
    this.process = process;
  }

  /** Installs the package below {@code target}; empty where Node or its registry cannot be had. */
  static Optional<Path> installed(Path project) {
    Path folder = project.resolve(Path.of("benchmarks", "target", "node-worker"));
    try {
      Files.createDirectories(folder);
      try (Stream<Path> files = Files.list(project.resolve(SOURCE))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
      }
      boolean there = Files.isDirectory(folder.resolve("node_modules")) || install(folder);
      return there ? Optional.of(folder) : Optional.empty();
    } catch (IOException absent) {
      return Optional.empty();
    }
  }

  private static boolean install(Path folder) throws IOException {
    Process npm = new ProcessBuilder("npm", "ci", "--legacy-peer-deps", "--no-audit", "--no-fund")
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("install.log").toFile())
        .start();
    try {
      return npm.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES) && npm.exitValue() == 0;
    } catch (InterruptedException interrupted) {
      npm.destroyForcibly();
      Thread.currentThread().interrupt();
      return false;
    }
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
