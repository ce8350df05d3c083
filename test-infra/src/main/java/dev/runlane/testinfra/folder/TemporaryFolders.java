package dev.runlane.testinfra.folder;

import dev.runlane.testinfra.ServerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folders of temporary servers. They stay the launcher's, so that no other program of the
 * server's user can put links into root's way; only {@code data} is the server's.
 */
public final class TemporaryFolders {
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
    Path temp = ServerCache.privateTemporaryFolder(account);
    sweep(temp, server);
    Path folder = Files.createTempDirectory(temp, prefix(server));
    FolderTree.permit(folder, "rwxr-xr-x");
    return folder;
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
