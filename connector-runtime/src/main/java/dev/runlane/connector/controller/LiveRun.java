package dev.runlane.connector.controller;

import dev.runlane.connector.run.ConnectorRun;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** A run whose child is this process's, with the end of what it wrote on its standard error. */
final class LiveRun {
  private static final int MOST_CHARACTERS = 16 << 10;

  private final ConnectorRun run;
  private final Deque<String> stderr = new ArrayDeque<>(); // guarded by itself
  private int characters;

  LiveRun(ConnectorRun run) {
    this.run = run;
    run.onStderr(this::keep);
  }

  ConnectorRun run() {
    return run;
  }

  /** The last lines, redacted, 16 Ki characters at most. */
  List<String> stderr() {
    synchronized (stderr) {
      return List.copyOf(stderr);
    }
  }

  private void keep(String line) {
    synchronized (stderr) {
      stderr.addLast(line);
      characters += line.length();
      while (characters > MOST_CHARACTERS) {
        characters -= stderr.removeFirst().length();
      }
    }
  }
}
