package dev.runlane.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * SIGSTOP for a process and all its children, until it is closed. They are continued as well when this JVM dies: a
 * shell that reads our pipe does that, since the stopped ones cannot see their own end.
 */
final class FrozenProcess implements AutoCloseable {
  private final Process shell;

  private FrozenProcess(Process shell) {
    this.shell = shell;
  }

  /** Stops the process of this pid, its children first. */
  static FrozenProcess of(long pid) {
    ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
    List<String> pids = Stream.concat(process.descendants(), Stream.of(process))
        .map(each -> Long.toString(each.pid()))
        .toList();
    String all = pids.stream().collect(Collectors.joining(" "));
    try {
      Process shell = new ProcessBuilder(
              "sh",
              "-c",
              "kill -STOP $1; echo stopped; read line; kill -CONT $1; exit 0",
              "sh",
              all)
          .redirectErrorStream(true)
          .start();
      if (shell.getInputStream().read() < 0) {
        throw new AssertionError("the processes " + all + " could not be stopped");
      }
      return new FrozenProcess(shell);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    try {
      shell.getOutputStream().close();
      shell.waitFor();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
