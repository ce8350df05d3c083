package dev.runlane.benchmarks.load;

import dev.runlane.benchmarks.subject.Phases;
import dev.runlane.benchmarks.subject.ProcessSettings;
import dev.runlane.benchmarks.subject.Subject;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A process of its own, kept in step by {@link Phases}. */
final class MeasuredProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader out;
  private final PrintWriter in;

  private MeasuredProcess(Process process) {
    this.process = process;
    out = process.inputReader(StandardCharsets.UTF_8);
    in = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
  }

  /** Starts a process of {@code subject} and tells it its settings. */
  static MeasuredProcess start(Subject subject, ProcessSettings settings, List<String> jvmOptions) {
    try {
      MeasuredProcess started = new MeasuredProcess(subject
          .process(jvmOptions)
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start());
      started.in.println(JsonObject.mapFrom(settings).encode());
      return started;
    } catch (IOException failure) {
      throw new IllegalStateException("no process of " + subject.name(), failure);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Waits until the process has reached a phase; its results. The process then waits for go. */
  JsonObject await(String phase) {
    String expected = Phases.MARK + phase + " ";
    try {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.startsWith(expected)) {
          return new JsonObject(line.substring(expected.length()));
        }
        System.err.println(line);
      }
    } catch (IOException failure) {
      throw new IllegalStateException("the measured process cannot be heard", failure);
    }
    throw new IllegalStateException("the measured process ended before it was " + phase);
  }

  void go() {
    in.println("go");
  }

  /** Lets the process end and waits for it. */
  void end() {
    go();
    try {
      int status = process.waitFor();
      if (status != 0) {
        throw new IllegalStateException("the measured process ended with status " + status);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", interrupted);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
