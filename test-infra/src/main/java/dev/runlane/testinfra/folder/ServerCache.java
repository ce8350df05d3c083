package dev.runlane.testinfra.folder;

import com.sun.security.auth.module.UnixSystem;
import dev.runlane.testinfra.ServerException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The folder where unpacked servers and fresh data folders are kept between runs, shared by all
 * processes of one user. Whoever is first fills it under a file lock, the others wait.
 */
public final class ServerCache {
  private static final Object ONE_THREAD_AT_A_TIME = new Object();

  private static final String PERMISSIONS = "rwxr-xr-x";

  private final Path folder;

  private ServerCache(Path folder) {
    this.folder = folder;
  }

  /**
   * The user's cache folder; without a home, or where another user runs the server and must be able to
   * enter it, one below the temp folder.
   *
   * @param server such as {@code postgres}
   */
  public static ServerCache ofUser(String server, ServerAccount account) {
    Path home =
        Path.of(Objects.requireNonNullElse(System.getProperty("user.home"), "/nonexistent"));
    if (account.prefix().isEmpty() && Files.isWritable(home)) {
      return in(home.resolve(".cache/runlane").resolve(server));
    }
    String name = "runlane-" + server + "-cache-" + ownUid();
    return in(privateTemporaryFolder(account).resolve(name));
  }

  /** The first temp folder that the server's user may enter. */
  static Path privateTemporaryFolder(ServerAccount account) {
    Path own = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
    return Stream.of(own, Path.of("/var/tmp"), Path.of("/tmp"))
        .filter(Files::isWritable)
        .filter(account::mayEnter)
        .findFirst()
        .orElseThrow(() -> new ServerException("none of " + own
            + ", /var/tmp and /tmp can be written here and entered by uid " + account.owner()));
  }

  public static ServerCache in(Path folder) {
    return new ServerCache(folder.toAbsolutePath().normalize());
  }

  /** Fills a new, empty folder; what it leaves behind when it fails is deleted. */
  public interface Filler {
    void fill(Path empty) throws IOException;
  }

  /** An entry, filled now if it is not there or has lost files to a cleaner of temp folders. */
  public Path entry(String name, ServerAccount account, Filler filler) {
    try {
      createPrivately();
      account.requireEnterable(folder);
      Path entry = folder.resolve(name);
      synchronized (ONE_THREAD_AT_A_TIME) {
        try (FileChannel channel =
            FileChannel.open(FolderTree.own(folder.resolve("lock")), StandardOpenOption.WRITE)) {
          channel.lock(); // until the channel closes
          if (!isComplete(entry)) {
            fill(entry, filler);
          }
        }
      }
      return entry;
    } catch (IOException failure) {
      throw new ServerException(
          "the cache folder " + folder + " can't be used: " + failure, failure);
    }
  }

  private void createPrivately() throws IOException {
    Path parent = folder.getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      Files.createDirectories(parent);
    }
    try {
      Files.createDirectory(folder, FolderTree.permissions(PERMISSIONS));
    } catch (FileAlreadyExistsException shared) {
      requireOwn();
    }
    FolderTree.permit(folder, PERMISSIONS);
  }

  /** Whoever can write here decides what this user runs, so nobody else may. */
  private void requireOwn() throws IOException {
    if (!isOwnFolder(folder)) {
      throw new ServerException(
          folder + " must be a folder that belongs to this user and that nobody else"
              + " may write: move it away, or name another cache folder");
    }
  }

  /** Whether this is a folder, and no link, that this user alone may write. */
  static boolean isOwnFolder(Path folder) throws IOException {
    PosixFileAttributes found =
        Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return found.isDirectory()
        && !found.permissions().contains(PosixFilePermission.OTHERS_WRITE)
        && !found.permissions().contains(PosixFilePermission.GROUP_WRITE)
        && Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(ownUid());
  }

  private static Integer ownUid() {
    return Math.toIntExact(new UnixSystem().getUid());
  }

  private void fill(Path entry, Filler filler) throws IOException {
    Path staging = folder.resolve(entry.getFileName() + ".new");
    FolderTree.delete(staging);
    FolderTree.delete(entry);
    Files.createDirectory(staging);
    FolderTree.permit(staging, PERMISSIONS);
    filler.fill(staging);
    Files.writeString(marker(entry), String.valueOf(countFiles(staging)));
    Files.move(staging, entry);
  }

  private static boolean isComplete(Path entry) throws IOException {
    if (!Files.isDirectory(entry) || !Files.exists(marker(entry))) {
      return false;
    }
    List<String> expected = Files.readAllLines(marker(entry));
    return expected.equals(List.of(String.valueOf(countFiles(entry))));
  }

  private static long countFiles(Path entry) throws IOException {
    try (Stream<Path> files = Files.walk(entry)) {
      return files.count();
    }
  }

  private static Path marker(Path entry) {
    return entry.resolveSibling(entry.getFileName() + ".files");
  }
}
