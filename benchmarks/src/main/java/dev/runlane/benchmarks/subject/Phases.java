package dev.runlane.benchmarks.subject;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * How a measured process and the load program keep step: the process says on standard output what it has
 * reached and continues when a line comes on standard input. A process whose parent is gone ends.
 */
public final class Phases {
  /** Starts every line that is meant for the load program. */
  public static final String MARK = "@";

  private final BufferedReader in =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private final PrintStream out = System.out;

  /** The first line: what to do and where. */
  public ProcessSettings settings() {
    return new JsonObject(line()).mapTo(ProcessSettings.class);
  }

  /** Tells that {@code phase} is reached and waits until the load program says go. Blocks. */
  public void reach(String phase) {
    reach(phase, new JsonObject());
  }

  /** The same with results. */
  public void reach(String phase, JsonObject results) {
    out.println(MARK + phase + " " + results.encode());
    out.flush();
    line();
  }

  private String line() {
    try {
      String line = in.readLine();
      if (line == null) {
        System.exit(3);
      }
      return line;
    } catch (IOException failure) {
      throw new IllegalStateException("the load program cannot be heard", failure);
    }
  }
}
