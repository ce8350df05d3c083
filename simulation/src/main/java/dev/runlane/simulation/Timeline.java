package dev.runlane.simulation;

import dev.runlane.simulation.world.Trace;
import java.util.List;
import java.util.Locale;

/** Writes what happened in one world as a table: a line for each thing, a column for each process. */
public final class Timeline {
  private static final int WIDTH = 44;

  private Timeline() {}

  /** The lines of a traced world; the first column is the true time in seconds, the second the world. */
  public static String of(List<Trace.Line> lines) {
    int processes = lines.stream().mapToInt(Trace.Line::process).max().orElse(-1) + 1;
    StringBuilder text =
        new StringBuilder(String.format(Locale.ROOT, "%12s |%-" + WIDTH + "s", "s", " world"));
    for (int process = 0; process < processes; process++) {
      text.append(String.format(Locale.ROOT, "|%-" + WIDTH + "s", " p" + process));
    }
    text.append('\n');
    for (Trace.Line line : lines) {
      text.append(String.format(Locale.ROOT, "%12.6f |", line.micros() / 1e6));
      text.append((" ".repeat(WIDTH) + "|").repeat(line.process() + 1));
      text.append(' ').append(line.text().replace('\n', ' ')).append('\n');
    }
    return text.toString();
  }
}
