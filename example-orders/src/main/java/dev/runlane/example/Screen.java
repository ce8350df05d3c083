package dev.runlane.example;

import java.io.PrintStream;

/**
 * Where the program talks: lines, and one line of progress that a terminal rewrites in place. Elsewhere each
 * change of progress is a line of its own.
 */
final class Screen {
  private static final String ERASE_LINE = "\r\u001b[K";

  /** What is wider than the terminal is cut off: a second line would never be erased. */
  private static final String CUT_OFF = "\u001b[?7l";

  private static final String WRAP = "\u001b[?7h";

  private final PrintStream out;
  private final boolean live;
  private String progress = "";
  private boolean progressOpen;

  Screen(PrintStream out, boolean live) {
    this.out = out;
    this.live = live;
  }

  /** A line that stays. */
  synchronized void say(String line) {
    if (progressOpen) {
      out.print(ERASE_LINE);
      progressOpen = false;
    }
    out.println(line);
    out.flush();
  }

  /** How far things are; the same text twice is shown once. */
  synchronized void progress(String text) {
    if (text.equals(progress)) {
      return;
    }
    progress = text;
    if (live) {
      out.print(ERASE_LINE + CUT_OFF + text + WRAP);
      progressOpen = true;
      out.flush();
    } else {
      say(text);
    }
  }
}
