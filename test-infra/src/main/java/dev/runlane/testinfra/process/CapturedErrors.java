package dev.runlane.testinfra.process;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What this JVM prints to its standard error, loggers that write there included, until it is closed. One at a time:
 * standard error belongs to the whole JVM.
 */
public final class CapturedErrors implements AutoCloseable {
  private final PrintStream before = System.err;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private CapturedErrors() {}

  /** From now on. */
  public static CapturedErrors begin() {
    CapturedErrors captured = new CapturedErrors();
    System.setErr(new PrintStream(captured.printed, true, StandardCharsets.UTF_8));
    return captured;
  }

  /** The lines that are printed while an action is run. */
  public static List<String> during(Runnable action) {
    try (CapturedErrors captured = begin()) {
      action.run();
      return captured.lines();
    }
  }

  /** All that was printed so far. */
  public String text() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  /** All that was printed so far, line by line. */
  public List<String> lines() {
    return text().lines().toList();
  }

  /** Gives standard error back; what was printed stays readable. */
  @Override
  public void close() {
    System.setErr(before);
  }
}
