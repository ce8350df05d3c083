package dev.runlane.drills.fleet;

import dev.runlane.drills.process.JavaProcess;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.process.ClassArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What forked programs load: as much as a worker does that was started and told to end. */
final class WorkerClasses {
  private static final Duration LEASE = Duration.ofSeconds(5);

  /** For each JVM with this one's class path. */
  static final List<String> OPTIONS = ClassArchive.options(Drill.FOLDERS, WorkerClasses::load);

  private WorkerClasses() {}

  private static void load(List<String> options) throws IOException {
    Path folder = Files.createDirectories(Drill.FOLDERS.resolve("classes"));
    DrillTarget target =
        DrillTarget.of(PostgresServers.shared().createDatabase("classes"), "classes", LEASE, null);
    try (JavaProcess worker = JavaProcess.start(
        folder, "worker", options, WorkerProgram.class.getName(), Drill.with(target, "worker"))) {
      worker.awaitLine("ready", Drill.START);
      worker.terminate();
      worker.awaitExit(Drill.START);
    }
  }
}
