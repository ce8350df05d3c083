package dev.runlane.testinfra.folder;

import dev.runlane.testinfra.ServerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folders of temporary servers. They stay the launcher's, so that no other program of the
 * server's user can put links into root's way; only {@code data} is the server's.
 */
public final class TemporaryFolders {
  /**
   * A folder in memory, such as {@code /dev/shm}, for all temporary servers of the tests: making and removing the many
   * small files of a database costs a third of it there.
   */
  static final String MEMORY_VARIABLE = "RUNLANE_TEST_MEMORY";

  private static final Logger LOG = LoggerFactory.getLogger(TemporaryFolders.class);

  /** A younger folder may belong to a launcher that has not locked it yet. */
  private static final Duration LEFT_BEHIND_AFTER = Duration.ofHours(1);

  private TemporaryFolders() {}

  /**
   * A new folder, and none left behind by earlier ones of the same kind of server.
   *
   * @param server such as {@code postgres}
   */
  public static Path create(String server, ServerAccount account) throws IOException {
    Path temp = parent(System.getenv(MEMORY_VARIABLE), account);
    sweep(temp, server);
    Path folder = Files.createTempDirectory(temp, prefix(server));
    FolderTree.permit(folder, "rwxr-xr-x");
    return folder;
  }

  /** The folder in memory, where there is one that the server's user may enter. */
  static Path parent(@Nullable String memory, ServerAccount account) {
    Path wanted = memory == null ? null : Path.of(memory).toAbsolutePath();
    return wanted != null && Files.isWritable(wanted) && account.mayEnter(wanted)
        ? wanted
        : ServerCache.privateTemporaryFolder(account);
  }

  /** Deletes what launchers left behind that were killed together with their servers' watchers. */
  static void sweep(Path temp, String server) throws IOException {
    List<Path> found;
    try (Stream<Path> all = Files.list(temp)) {
      found = all.filter(path -> path.getFileName().toString().startsWith(prefix(server)))
          .toList();
    }
    for (Path folder : found) {
      try {
        sweepOne(folder);
      } catch (IOException | ServerException othersOrInUse) {
        LOG.debug("{} stays: {}", folder, othersOrInUse.getMessage());
      }
    }
  }

  private static String prefix(String server) {
    return "runlane-" + server + "-data-";
  }

  private static void sweepOne(Path folder) throws IOException {
    Instant youngest = Instant.now().minus(LEFT_BEHIND_AFTER);
    if (!ServerCache.isOwnFolder(folder)
        || Files.getLastModifiedTime(folder).toInstant().isAfter(youngest)) {
      return;
    }
    FolderLock lock = FolderLock.take(folder);
    try {
      FolderTree.delete(folder);
    } finally {
      lock.close();
    }
  }
}
