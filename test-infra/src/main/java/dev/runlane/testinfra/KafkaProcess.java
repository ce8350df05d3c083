package dev.runlane.testinfra;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One start of a broker, as a child of this process. Its standard input is a pipe that only this
 * process holds open: when it ends, because this process ended in whatever way, the broker stops.
 */
final class KafkaProcess {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  private final KafkaFolder folder;
  private final Process process;

  private KafkaProcess(KafkaFolder folder, Process process) {
    this.folder = folder;
    this.process = process;
  }

  /** Starts the broker and does not wait for it. */
  static KafkaProcess spawn(
      String classPath, KafkaFolder folder, KafkaPlan plan, int port, int controllerPort)
      throws IOException {
    List<String> command = new ArrayList<>(OwnSession.prefix());
    command.addAll(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:+ExitOnOutOfMemoryError",
        "-cp",
        classPath,
        KafkaBinaries.MAIN_CLASS,
        folder.folder().toString(),
        String.valueOf(port),
        String.valueOf(controllerPort),
        plan.isTemporary() ? "temporary" : "keep"));
    plan.settings().forEach((name, value) -> command.add(name + "=" + value));
    // A predecessor that still ends goes on writing to its own.
    Files.deleteIfExists(folder.log());
    Process process = new ProcessBuilder(command)
        .directory(Path.of("/").toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.log().toFile())
        .start();
    return new KafkaProcess(folder, process);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  long pid() {
    return process.pid();
  }

  /** Waits until it takes records; false if it ended instead. */
  boolean awaitReady(Duration atMost) {
    boolean decided = Poll.until(atMost, () -> !process.isAlive() || folder.isReady(process.pid()));
    if (!decided) {
      throw new ServerException(
          "the broker did not get ready within " + atMost + ":\n" + folder.logTail());
    }
    return process.isAlive();
  }

  /** A clean stop: what was written is flushed. Kills what does not end in time. */
  void stop() {
    if (!process.isAlive()) {
      return;
    }
    String asked = askToStop();
    if (!awaitEnd(STOP_TIMEOUT)) {
      kill();
      throw new ServerException("the broker did not stop within " + STOP_TIMEOUT
          + " and was killed. " + asked + "\n" + folder.logTail());
    }
  }

  private String askToStop() {
    try {
      process.getOutputStream().write("stop\n".getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
      return "";
    } catch (IOException endingAlready) {
      return endingAlready.toString();
    }
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly();
    if (!awaitEnd(KILL_TIMEOUT)) {
      throw new ServerException("process " + process.pid() + " did not end within " + KILL_TIMEOUT);
    }
  }

  private boolean awaitEnd(Duration atMost) {
    try {
      return process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ServerException("interrupted while a broker ended", interrupted);
    }
  }
}
