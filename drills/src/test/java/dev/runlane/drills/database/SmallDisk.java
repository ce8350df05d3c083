package dev.runlane.drills.database;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * A tmpfs of its own that can be filled up. Needs the right to mount. A shell that reads our pipe unmounts
 * it, also when this JVM is killed.
 */
final class SmallDisk implements AutoCloseable {
  private static final int BLOCK = 16 * 1024;
  private static final int MOST_FILLS = 1_000;
  private static final String MOUNT_UNTIL_END = """
      mount -t tmpfs -o mode=755,size="$2" tmpfs "$1" || exit 1
      echo mounted
      read line
      umount "$1" || umount -l "$1"
      rmdir "$1"
      """;

  private final Path folder;
  private final Process shell;

  private SmallDisk(Path folder, Process shell) {
    this.folder = folder;
    this.shell = shell;
  }

  /** Mounts one; empty where that is not permitted. */
  static Optional<SmallDisk> mount(int megabytes) throws IOException {
    Path folder = Files.createTempDirectory("runlane-small-disk");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Process shell = new ProcessBuilder(
            "sh", "-c", MOUNT_UNTIL_END, "sh", folder.toString(), megabytes + "m")
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
    if (shell.getInputStream().read() >= 0) {
      return Optional.of(new SmallDisk(folder, shell));
    }
    Files.delete(folder);
    return Optional.empty();
  }

  /** A folder on it that does not exist yet. */
  Path data() {
    return folder.resolve("data");
  }

  /** Takes all space that is left, also what the server gives back meanwhile. */
  void fill() {
    IOException last = null;
    for (int time = 0; time < MOST_FILLS; time++) {
      try (OutputStream ballast =
          Files.newOutputStream(ballast(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
        byte[] block = new byte[BLOCK];
        while (true) {
          ballast.write(block);
        }
      } catch (IOException full) {
        if (folder.toFile().getUsableSpace() <= BLOCK) {
          return;
        }
        last = full;
      }
    }
    throw new UncheckedIOException("there is still space on " + folder, last);
  }

  /** Gives the space back. */
  void free() throws IOException {
    Files.deleteIfExists(ballast());
  }

  private Path ballast() {
    return folder.resolve("ballast");
  }

  @Override
  public void close() throws IOException {
    shell.getOutputStream().close();
    try {
      shell.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + folder + " is unmounted", interrupted);
    }
    if (Files.exists(folder)) {
      throw new IOException(folder + " is still there");
    }
  }
}
