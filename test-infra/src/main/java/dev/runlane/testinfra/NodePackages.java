package dev.runlane.testinfra;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs for Node with exactly the packages that their lock file names. */
public final class NodePackages {
  private static final long INSTALL_MINUTES = 5;
  private static final String LOCK = "package-lock.json";
  private static final String INSTALLED = "installed-lock.json";
  private static final String TURN = "installing";

  private NodePackages() {}

  /**
   * Copies the files of a folder into another and installs their packages there, unless that was done before for
   * the same lock file.
   *
   * @param source has a {@code package-lock.json}
   * @param folder is created; its own files of the same names are replaced
   * @return {@code folder}; empty where Node, npm or its registry cannot be had, {@code install.log} in it says why
   */
  public static synchronized Optional<Path> install(Path source, Path folder) {
    try {
      Files.createDirectories(folder);
      // Suites in processes beside each other share the folder.
      try (RandomAccessFile turn = new RandomAccessFile(folder.resolve(TURN).toFile(), "rw")) {
        turn.getChannel().lock();
        copy(source, folder);
        return isInstalled(folder) ? Optional.of(folder) : Optional.empty();
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void copy(Path source, Path folder) throws IOException {
    try (Stream<Path> files = Files.list(source)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private static boolean isInstalled(Path folder) throws IOException {
    Path lock = folder.resolve(LOCK);
    Path installed = folder.resolve(INSTALLED);
    if (Files.exists(installed) && Files.mismatch(lock, installed) < 0) {
      return true;
    }
    if (!ciSucceeds(folder)) {
      return false;
    }
    Files.copy(lock, installed, StandardCopyOption.REPLACE_EXISTING);
    return true;
  }

  private static boolean ciSucceeds(Path folder) {
    try {
      Process npm = new ProcessBuilder("npm", "ci", "--legacy-peer-deps", "--no-audit", "--no-fund")
          .directory(folder.toFile())
          .redirectErrorStream(true)
          .redirectOutput(folder.resolve("install.log").toFile())
          .start();
      return hasSucceeded(npm);
    } catch (IOException absent) {
      return false;
    }
  }

  private static boolean hasSucceeded(Process npm) {
    try {
      return npm.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES) && npm.exitValue() == 0;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      npm.destroyForcibly();
    }
  }
}
