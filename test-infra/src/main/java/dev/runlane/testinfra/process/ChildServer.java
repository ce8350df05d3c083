package dev.runlane.testinfra.process;

import dev.runlane.testinfra.ServerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One start of a server, as a child of this process that ends with it. */
public abstract class ChildServer {
  private static final FileAttribute<?> OWNERS_ALONE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  private final Process process;
  private final Supplier<String> logTail;

  public ChildServer(Process process, Supplier<String> logTail) {
    this.process = process;
    this.logTail = logTail;
  }

  /** Begins a program that writes all it says to {@code log}, anew. */
  protected static Process begin(List<String> command, Path log) throws IOException {
    // A predecessor that still ends keeps writing to its own.
    Files.deleteIfExists(log);
    return new ProcessBuilder(command)
        .directory(Path.of("/").toFile())
        .redirectErrorStream(true)
        .redirectOutput(Files.createFile(log, OWNERS_ALONE).toFile())
        .start();
  }

  /** Whether it accepts clients; asked while it is alive. */
  public abstract boolean isReady();

  /** Begins a clean stop and answers what is worth telling should it not come to that, mostly nothing. */
  public abstract String requestStop();

  /** Begins an end after which nobody reads the data, as quickly as it leaves nothing else behind. */
  protected String requestDiscard() {
    killAll();
    return "";
  }

  public final Process process() {
    return process;
  }

  public final boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  /** Waits until it accepts clients; false if it ended instead. A wait that fails leaves no server behind. */
  public final boolean becomesReady(Duration atMost) {
    try {
      return awaitReady(atMost);
    } catch (RuntimeException failure) {
      kill();
      throw failure;
    }
  }

  private boolean awaitReady(Duration atMost) {
    boolean decided = Poll.until(atMost, () -> !process.isAlive() || isReady());
    if (!decided) {
      throw new ServerException(
          "the server did not get ready within " + atMost + ":\n" + logTail.get());
    }
    return process.isAlive();
  }

  /** A clean stop: clients are disconnected, data is flushed. Kills what does not end in time. */
  public final void stop() {
    endBy(this::requestStop);
  }

  /** An end after which nobody reads the data. Kills what does not end in time. */
  public final void discard() {
    endBy(this::requestDiscard);
  }

  private void endBy(Supplier<String> request) {
    if (!process.isAlive()) {
      return;
    }
    String asked = request.get();
    if (!awaitEnd(STOP_TIMEOUT)) {
      kill();
      throw new ServerException("the server did not stop within " + STOP_TIMEOUT
          + " and was killed. " + asked + "\n" + logTail.get());
    }
  }

  /** SIGKILL. */
  public final void kill() {
    if (!process.isAlive()) {
      return;
    }
    killAll();
    if (!awaitEnd(KILL_TIMEOUT)) {
      throw new ServerException("process " + process.pid() + " did not end within " + KILL_TIMEOUT);
    }
  }

  /**
   * Through its handle: {@link Process#destroyForcibly} would close the pipe too, and a watcher take that
   * for the end of this process.
   */
  public void killAll() {
    process.toHandle().destroyForcibly();
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
