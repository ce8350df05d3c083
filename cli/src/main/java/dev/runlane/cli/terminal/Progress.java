package dev.runlane.cli.terminal;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/**
 * How far long work has come, in one line that is drawn anew: a bar, the rate, and the time that is left. Safe for use
 * by any thread.
 */
public final class Progress implements AutoCloseable {
  private static final int BAR = 24;
  private static final Duration EVERY = Duration.ofMillis(100);

  private final PrintStream err;
  private final boolean shown;
  private final int columns;
  private final String what;
  private final long total;
  private final long begun = System.nanoTime();
  private long drawnAt;
  private boolean drawn;

  /**
   * Nothing is drawn yet.
   *
   * @param what is counted, such as {@code runs}
   * @param total how many there are; 0: nobody knows
   */
  public Progress(PrintStream err, Terminal terminal, String what, long total) {
    this.err = err;
    this.shown = terminal.isErrorShown();
    this.columns = terminal.columns();
    this.what = what;
    this.total = total;
  }

  /** So many are done. */
  public synchronized void done(long done) {
    long now = System.nanoTime();
    if (shown && (!drawn || now - drawnAt > EVERY.toNanos() || done == total)) {
      drawnAt = now;
      drawn = true;
      String line = line(done, Duration.ofNanos(now - begun));
      // A line that wraps could not be drawn anew.
      err.print("\r" + (columns == 0 ? line : PlainText.cut(line, columns - 1)) + "\u001b[K");
      err.flush();
    }
  }

  /** Writes a line above it. */
  public synchronized void tell(String line) {
    close();
    err.println(line);
    drawn = false;
  }

  /** Takes the line away. */
  @Override
  public synchronized void close() {
    if (drawn) {
      err.print("\r\u001b[K");
      err.flush();
    }
  }

  String line(long done, Duration taken) {
    double seconds = Math.max(0.001, taken.toMillis() / 1_000.0);
    double rate = done / seconds;
    String speed = String.format(Locale.ROOT, "%.0f/s", rate);
    if (total == 0) {
      return done + " " + what + "  " + speed;
    }
    int full = (int) Math.min(BAR, done * BAR / total);
    String left = done == 0
        ? ""
        : "  " + PlainText.duration(Duration.ofMillis((long) ((total - done) / rate * 1_000)))
            + " left";
    return "[" + "#".repeat(full) + "-".repeat(BAR - full) + "] " + done + "/" + total + " " + what
        + "  " + speed + left;
  }
}
