package dev.runlane.drills;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The version that {@code drills/previous-version} names, built by {@code drills/build-previous} with its own drill
 * programs. Programs that it does not have yet are those of this version, run on its classes.
 *
 * @param classPath of its programs
 */
record PreviousVersion(String classPath) {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
  private static final Path BUILT = PROJECT.resolve("target/previous-version");

  /** Throws {@code AssertionError} where it was not built from the commit that is named. */
  static PreviousVersion built(Class<?>... missingThere) {
    try {
      String wanted =
          Files.readString(PROJECT.resolve("drills/previous-version")).strip();
      Path commit = BUILT.resolve("commit");
      String there = Files.exists(commit) ? Files.readString(commit).strip() : "nothing";
      if (!there.equals(wanted)) {
        throw new AssertionError("commit " + wanted + " is the previous version, but " + there
            + " is built: run drills/build-previous");
      }
      Path added = Files.createDirectories(BUILT.resolve("added"));
      for (Class<?> program : missingThere) {
        add(program, added);
      }
      return new PreviousVersion(added + ":"
          + Files.readString(BUILT.resolve("drills/target/drills.classpath.complete"))
              .strip());
    } catch (IOException unreadable) {
      throw new AssertionError("the previous version cannot be read", unreadable);
    }
  }

  private static void add(Class<?> program, Path folder) throws IOException {
    Path own = Path.of("target/test-classes").resolve(program.getPackageName().replace('.', '/'));
    Path there = Files.createDirectories(folder.resolve(own.subpath(2, own.getNameCount())));
    try (Stream<Path> classes = Files.list(own)) {
      for (Path each : classes.filter(file -> isOf(program, file)).toList()) {
        Files.write(there.resolve(each.getFileName()), Files.readAllBytes(each));
      }
    }
  }

  private static boolean isOf(Class<?> program, Path file) {
    String name = file.getFileName().toString();
    return name.equals(program.getSimpleName() + ".class")
        || name.startsWith(program.getSimpleName() + "$");
  }
}
