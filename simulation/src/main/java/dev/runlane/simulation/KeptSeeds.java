package dev.runlane.simulation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The seeds that once found something, from {@code kept-seeds.txt}: they are run first, for ever. */
public final class KeptSeeds {

  private KeptSeeds() {}

  /** All of them, in the order of the file: a seed and what it found on each line. */
  public static List<Long> all() {
    return of("kept-seeds.txt");
  }

  /** The same of the worlds of job workers, from {@code kept-job-seeds.txt}. */
  public static List<Long> ofJobs() {
    return of("kept-job-seeds.txt");
  }

  private static List<Long> of(String name) {
    InputStream file = KeptSeeds.class.getResourceAsStream(name);
    if (file == null) {
      throw new IllegalStateException(name + " is not beside the class");
    }
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> Long.parseLong(line.split(" ", 2)[0]))
          .toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
