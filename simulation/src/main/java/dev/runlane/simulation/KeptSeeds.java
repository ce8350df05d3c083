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
  private static final String FILE = "kept-seeds.txt";

  private KeptSeeds() {}

  /** All of them, in the order of the file: a seed and what it found on each line. */
  public static List<Long> all() {
    InputStream file = KeptSeeds.class.getResourceAsStream(FILE);
    if (file == null) {
      throw new IllegalStateException(FILE + " is not beside the class");
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
