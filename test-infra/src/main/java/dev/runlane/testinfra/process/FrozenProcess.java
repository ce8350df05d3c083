package dev.runlane.testinfra.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * SIGSTOP for a process, or for it and all its children, until this is closed. They are continued as well when this JVM
 * dies: a shell that reads our pipe does that, since the stopped ones cannot see their own end.
 */
public final class FrozenProcess implements AutoCloseable {
  private final Process shell;

  private FrozenProcess(Process shell) {
    this.shell = shell;
  }

  /**
   * Stops the process of this pid alone.
   *
   * @throws IllegalStateException if it cannot be stopped
   */
  public static FrozenProcess alone(long pid) {
    return stop(Long.toString(pid));
  }

  /**
   * Stops the process of this pid, its children first.
   *
   * @throws IllegalStateException if one of them cannot be stopped
   */
  public static FrozenProcess withChildren(long pid) {
    ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
    return stop(Stream.concat(process.descendants(), Stream.of(process))
        .map(each -> Long.toString(each.pid()))
        .collect(Collectors.joining(" ")));
  }

  private static FrozenProcess stop(String pids) {
    try {
      Process shell = new ProcessBuilder(
              "sh",
              "-c",
              "kill -STOP $1; echo stopped; read line; kill -CONT $1; exit 0",
              "sh",
              pids)
          .redirectErrorStream(true)
          .start();
      if (shell.getInputStream().read() < 0) {
        throw new IllegalStateException("processes " + pids + " could not be stopped");
      }
      return new FrozenProcess(shell);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** SIGCONT. */
  @Override
  public void close() {
    try {
      shell.getOutputStream().close();
      shell.waitFor();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a process is continued", interrupted);
    }
  }
}
