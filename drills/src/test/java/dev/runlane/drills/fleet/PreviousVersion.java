package dev.runlane.drills.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The version that {@code drills/previous-version} names, built by {@code drills/build-previous} with its own drill
 * programs.
 *
 * @param classPath of its programs
 */
public record PreviousVersion(String classPath) {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
  private static final Path BUILT = PROJECT.resolve("target/previous-version");

  /** Throws {@code AssertionError} where it was not built from the commit that is named. */
  public static PreviousVersion built() {
    try {
      String wanted =
          Files.readString(PROJECT.resolve("drills/previous-version")).strip();
      Path commit = BUILT.resolve("commit");
      String there = Files.exists(commit) ? Files.readString(commit).strip() : "nothing";
      if (!there.equals(wanted)) {
        throw new AssertionError("commit " + wanted + " is the previous version, but " + there
            + " is built: run drills/build-previous");
      }
      return new PreviousVersion(
          Files.readString(BUILT.resolve("drills/target/drills.classpath.complete"))
              .strip());
    } catch (IOException unreadable) {
      throw new AssertionError("the previous version cannot be read", unreadable);
    }
  }

  /**
   * What a program is called there: until {@code drills/previous-version} names a commit whose drills are in rooms, all
   * of them are in one package.
   */
  static String nameOf(Class<?> program) {
    return "dev.runlane.drills." + program.getSimpleName();
  }
}
