package dev.runlane.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The file of the seeds that were run, so that a large number of them can be run in parts. Each line is a range of one
 * version of the world, with the commit it was run at; ranges that follow each other at one commit are one line.
 */
final class DoneSeeds {
  private static final String HEADER = "# world first last commit failed";

  private final Path file;

  DoneSeeds(Path file) {
    this.file = file;
  }

  /** The first seed after all that were run in this version of the world. */
  long next(int world) {
    return all().stream()
            .filter(range -> range.world == world)
            .mapToLong(Range::last)
            .max()
            .orElse(0)
        + 1;
  }

  /** Adds a range. */
  void add(Range added) {
    if (added.last < added.first) {
      return;
    }
    List<Range> all = new ArrayList<>(all());
    Range before = all.isEmpty() ? null : all.get(all.size() - 1);
    if (before != null && before.isFollowedBy(added)) {
      all.set(
          all.size() - 1,
          new Range(
              added.world, before.first, added.last, added.commit, before.failed + added.failed));
    } else {
      all.add(added);
    }
    write(all);
  }

  private List<Range> all() {
    try {
      return Files.exists(file)
          ? Files.readAllLines(file, StandardCharsets.UTF_8).stream()
              .filter(line -> !line.isBlank() && !line.startsWith("#"))
              .map(Range::of)
              .toList()
          : List.of();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private void write(List<Range> all) {
    List<String> lines = new ArrayList<>(List.of(HEADER));
    all.forEach(range -> lines.add(range.line()));
    try {
      Files.write(file, lines, StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /**
   * Seeds that were run.
   *
   * @param world the version of the world: seeds of another are others
   * @param commit where the sources were
   * @param failed how many broke a promise
   */
  record Range(int world, long first, long last, String commit, int failed) {
    static Range of(String line) {
      String[] parts = line.split(" ", 5);
      return new Range(
          Integer.parseInt(parts[0]),
          Long.parseLong(parts[1]),
          Long.parseLong(parts[2]),
          parts[3],
          Integer.parseInt(parts[4]));
    }

    boolean isFollowedBy(Range next) {
      return world == next.world && commit.equals(next.commit) && last + 1 == next.first;
    }

    String line() {
      return world + " " + first + " " + last + " " + commit + " " + failed;
    }
  }
}
