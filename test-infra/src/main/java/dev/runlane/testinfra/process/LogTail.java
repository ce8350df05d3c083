package dev.runlane.testinfra.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The end of a server's log, for messages. */
public final class LogTail {
  private static final int LINES = 20;

  private LogTail() {}

  public static String of(Path log) {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
    } catch (IOException failure) {
      return "(" + log + " can't be read: " + failure + ")";
    }
  }
}
