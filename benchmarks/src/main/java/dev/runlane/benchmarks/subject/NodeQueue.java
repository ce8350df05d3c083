package dev.runlane.benchmarks.subject;

import dev.runlane.testinfra.NodePackages;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A published job queue for Node: its program adds and drains as many jobs as ours, on the same server. */
public final class NodeQueue {
  private static final Path SOURCE = Path.of("benchmarks", "node");

  private NodeQueue() {}

  /** Installs the packages below {@code target}; empty where Node or its registry cannot be had. */
  public static Optional<Path> installed(Path project) {
    return NodePackages.install(
        project.resolve(SOURCE), project.resolve(Path.of("benchmarks", "target", "node-queues")));
  }

  /** Runs {@code system}'s program; what it has printed. Throws when it fails. */
  public static JsonObject measure(Path folder, String system, String database, JobLoad load) {
    ProcessBuilder builder = new ProcessBuilder("node", "measure.mjs", system)
        .directory(folder.toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder
        .environment()
        .putAll(Map.of(
            "DATABASE_URL",
            database,
            "JOBS",
            String.valueOf(load.jobs()),
            "JOBS_A_CALL",
            String.valueOf(load.jobsACall()),
            "SLOTS",
            String.valueOf(load.slots())));
    try {
      Process process = builder.start();
      String printed =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      int status = process.waitFor();
      if (status != 0) {
        throw new IllegalStateException(system + " ended with status " + status);
      }
      return new JsonObject(printed.substring(printed.lastIndexOf('\n') + 1));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", interrupted);
    }
  }
}
