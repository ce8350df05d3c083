package dev.runlane.testinfra.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.Collectors;

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
    return stop("", pid);
  }

  /**
   * Stops the process of this pid, its children first; one of those that ends meanwhile is passed over.
   *
   * @throws IllegalStateException if the process cannot be stopped
   */
  public static FrozenProcess withChildren(long pid) {
    ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
    String children = process
        .descendants()
        .map(each -> Long.toString(each.pid()))
        .collect(Collectors.joining(" "));
    return stop(children, pid);
  }

  private static FrozenProcess stop(String children, long pid) {
    try {
      Process shell = new ProcessBuilder(
              "sh",
              "-c",
              "kill -STOP $1; kill -STOP $2 && echo stopped && read line; kill -CONT $1; kill -CONT $2; exit 0",
              "sh",
              children,
              Long.toString(pid))
          .redirectError(ProcessBuilder.Redirect.DISCARD) // what is read says that it is stopped
          .start();
      if (shell.getInputStream().read() < 0) {
        throw new IllegalStateException("process " + pid + " could not be stopped");
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
