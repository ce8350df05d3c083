package dev.runlane.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs for Node with the packages that their lock file names. */
final class NodePackages {
  private static final long INSTALL_MINUTES = 5;

  private NodePackages() {}

  /**
   * Copies a folder of the project below {@code benchmarks/target} and installs its packages there; empty where Node
   * or its registry cannot be had.
   */
  static Optional<Path> installed(Path project, Path source, String name) {
    Path folder = project.resolve(Path.of("benchmarks", "target", name));
    try {
      Files.createDirectories(folder);
      try (Stream<Path> files = Files.list(project.resolve(source))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
      }
      boolean there = Files.isDirectory(folder.resolve("node_modules")) || install(folder);
      return there ? Optional.of(folder) : Optional.empty();
    } catch (IOException absent) {
      return Optional.empty();
    }
  }

  private static boolean install(Path folder) throws IOException {
    Process npm = new ProcessBuilder("npm", "ci", "--legacy-peer-deps", "--no-audit", "--no-fund")
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("install.log").toFile())
        .start();
    try {
      return npm.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES) && npm.exitValue() == 0;
    } catch (InterruptedException interrupted) {
      npm.destroyForcibly();
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
