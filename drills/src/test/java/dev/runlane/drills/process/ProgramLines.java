package dev.runlane.drills.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** How a forked program talks to its drill: lines out, lines in, and an end when the drill is gone. */
public final class ProgramLines {
  /** Starts every line that is for the drill and not for the log. */
  static final String MARK = "drill> ";

  static final int ORPHANED = 3;

  /** The exit code of a program one of whose threads ended with what nobody caught. */
  static final int FAILED = 4;

  private ProgramLines() {}

  /** Tells the drill something. */
  public static void tell(String line) {
    synchronized (System.out) {
      System.out.println(MARK + line);
      System.out.flush();
    }
  }

  /**
   * Hands over every line of the drill; halts this process when the drill closes the pipe or dies, and when a
   * thread of it fails: its event loops would keep it alive with nothing to do.
   */
  public static void listen(Consumer<String> listener) {
    Thread.setDefaultUncaughtExceptionHandler(ProgramLines::failed);
    Thread thread = new Thread(() -> read(listener), "lines of the drill");
    thread.setDaemon(true);
    thread.start();
  }

  private static void failed(Thread thread, Throwable failure) {
    System.err.println("thread " + thread.getName() + " failed");
    failure.printStackTrace();
    Runtime.getRuntime().halt(FAILED);
  }

  private static void read(Consumer<String> listener) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        listener.accept(line);
      }
    } catch (IOException gone) {
      System.err.println("the drill cannot be heard any more: " + gone);
    }
    Runtime.getRuntime().halt(ORPHANED);
  }
}
