package dev.runlane.testinfra;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One start of MariaDB, as a child of this process that ends with it. It is signalled through its handle:
 * {@link Process#destroy} would close the pipe too, and the watcher take that for the end of this process.
 */
final class MariadbProcess {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);
  private static final String READY = ": ready for connections.";

  private final MariadbFolder folder;
  private final Process process;

  private MariadbProcess(MariadbFolder folder, Process process) {
    this.folder = folder;
    this.process = process;
  }

  /** Starts the server and does not wait for it. */
  static MariadbProcess spawn(
      MariadbInstallation installation, MariadbFolder folder, MariadbPlan plan, int port)
      throws IOException {
    List<String> server = new ArrayList<>(List.of(installation.program().toString()));
    server.addAll(plan.arguments(folder, port));
    List<String> command = new ArrayList<>(OwnSession.prefix());
    command.addAll(Watched.command(
        "TERM", folder.pidFile(), plan.isTemporary() ? folder.folder() : null, server));
    // A predecessor that still ends goes on writing to its own.
    Files.deleteIfExists(folder.log());
    Process process = new ProcessBuilder(command)
        .directory(Path.of("/").toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.log().toFile())
        .start();
    return new MariadbProcess(folder, process);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  long pid() {
    return process.pid();
  }

  /** Waits until it accepts connections; false if it ended instead. */
  boolean awaitReady(Duration atMost) {
    boolean decided = Poll.until(atMost, () -> !process.isAlive() || isReady());
    if (!decided) {
      throw new ServerException(
          "the server did not get ready within " + atMost + ":\n" + folder.logTail());
    }
    return process.isAlive();
  }

  private boolean isReady() {
    try {
      return Files.readString(folder.log()).contains(READY);
    } catch (IOException failure) {
      throw new ServerException(folder.log() + " can't be read: " + failure, failure);
    }
  }

  /** A clean stop: clients are disconnected, data is flushed. Kills what does not end in time. */
  void stop() {
    if (!process.isAlive()) {
      return;
    }
    process.toHandle().destroy();
    if (!awaitEnd(STOP_TIMEOUT)) {
      kill();
      throw new ServerException("the server did not stop within " + STOP_TIMEOUT
          + " and was killed.\n" + folder.logTail());
    }
  }

  /** SIGKILL. */
  void kill() {
    process.toHandle().destroyForcibly();
    if (!awaitEnd(KILL_TIMEOUT)) {
      throw new ServerException("process " + process.pid() + " did not end within " + KILL_TIMEOUT);
    }
  }

  private boolean awaitEnd(Duration atMost) {
    try {
      return process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ServerException("interrupted while a server ended", interrupted);
    }
  }
}
