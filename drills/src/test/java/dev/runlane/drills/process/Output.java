package dev.runlane.drills.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What a process writes: kept in a file, and watched for the lines a drill waits for. */
public final class Output {
  private static final int TAIL = 60;

  private final Path file;
  private final List<String> told = new ArrayList<>(); // lines that start with ProgramLines.MARK
  private boolean ended;

  Output(Path file) {
    this.file = file;
  }

  public Path file() {
    return file;
  }

  /** Reads to the end on a thread of its own. */
  void follow(String name, InputStream stream) {
    Thread thread = new Thread(() -> copy(stream), "output of " + name);
    thread.setDaemon(true);
    thread.start();
  }

  private void copy(InputStream stream) {
    try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
        BufferedWriter writer = Files.newBufferedWriter(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        writer.write(line);
        writer.newLine();
        writer.flush();
        if (line.startsWith(ProgramLines.MARK)) {
          tell(line.substring(ProgramLines.MARK.length()));
        }
      }
    } catch (IOException failure) {
      tell("its output could not be read: " + failure);
    } finally {
      end();
    }
  }

  private synchronized void tell(String line) {
    told.add(line);
    notifyAll();
  }

  private synchronized void end() {
    ended = true;
    notifyAll();
  }

  /** The lines told so far. */
  public synchronized List<String> told() {
    return List.copyOf(told);
  }

  /** The first line told that fits, waiting for it; empty when the process ended without it. */
  synchronized Optional<String> await(Predicate<String> wanted, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    int looked = 0;
    while (true) {
      for (; looked < told.size(); looked++) {
        if (wanted.test(told.get(looked))) {
          return Optional.of(told.get(looked));
        }
      }
      long left = (deadline - System.nanoTime()) / 1_000_000;
      if (ended) {
        return Optional.empty();
      }
      if (left <= 0) {
        throw new AssertionError("nothing of what was waited for within " + atMost + "; " + file);
      }
      try {
        wait(left);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for a process", interrupted);
      }
    }
  }

  /** The last lines, for a report of what went wrong; without the many that only count. */
  public String tail() {
    try {
      List<String> lines = Files.exists(file)
          ? Files.readAllLines(file).stream()
              .filter(line -> !line.startsWith(ProgramLines.MARK + WakeupCounts.WORD))
              .toList()
          : List.of();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
