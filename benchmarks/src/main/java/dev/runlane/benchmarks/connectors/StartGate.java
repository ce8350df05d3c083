package dev.runlane.benchmarks.connectors;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Holds any number of processes back until it is opened: a pipe, whose reader waits for a writer. Blocks. */
final class StartGate implements AutoCloseable {
  private final Path folder;
  private final Path pipe;
  private @Nullable OutputStream opened;

  private StartGate(Path folder) {
    this.folder = folder;
    pipe = folder.resolve("gate");
  }

  static StartGate create() {
    try {
      StartGate gate = new StartGate(Files.createTempDirectory("runlane-gate"));
      Process made =
          new ProcessBuilder("mkfifo", gate.pipe.toString()).inheritIO().start();
      if (made.waitFor() != 0) {
        throw new IllegalStateException("mkfifo ended with " + made.exitValue());
      }
      return gate;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the gate was made", e);
    }
  }

  /** What the processes open for reading. */
  Path path() {
    return pipe;
  }

  /** Lets all go that wait, and all that come. Waits for the first. */
  void open() {
    try {
      opened = Files.newOutputStream(pipe);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      if (opened != null) {
        opened.close();
      }
      Files.deleteIfExists(pipe);
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
