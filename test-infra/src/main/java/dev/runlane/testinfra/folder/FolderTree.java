package dev.runlane.testinfra.folder;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is done to folders as a whole. Links are never followed. */
public final class FolderTree {

  private FolderTree() {}

  /** Deletes a folder and all in it; what is gone already counts as deleted. */
  public static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    Files.walkFileTree(folder, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
          throws IOException {
        Files.deleteIfExists(file);
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
        if (failure instanceof NoSuchFileException) {
          return FileVisitResult.CONTINUE;
        }
        throw failure;
      }

      @Override
      public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
          throws IOException {
        if (failure != null && !(failure instanceof NoSuchFileException)) {
          throw failure;
        }
        Files.deleteIfExists(visited);
        return FileVisitResult.CONTINUE;
      }
    });
  }

  /** Writes a new file that only its owner may ever read. */
  public static void createSecret(Path file, String secret) throws IOException {
    Files.createFile(file, permissions("rw-------"));
    Files.writeString(file, secret);
  }

  /**
   * Makes a file that its owner alone reads and writes, also of one of ours that is there already. What is there and is
   * a link, a device or somebody else's stays as it is: whoever put it there has decided who reads it.
   */
  public static Path own(Path file) throws IOException {
    try {
      Files.createFile(file, permissions("rw-------"));
    } catch (FileAlreadyExistsException known) {
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        ownIfOurs(file);
      }
    }
    return file;
  }

  private static void ownIfOurs(Path file) throws IOException {
    try {
      permit(file, "rw-------");
    } catch (FileSystemException othersFile) {
      if (!Files.isWritable(file)) {
        throw othersFile;
      }
    }
  }

  /** Permissions to create with, of which the umask may still take some away. */
  public static FileAttribute<Set<PosixFilePermission>> permissions(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }

  /** Sets permissions, written like {@code rwxr-xr-x}, whatever this process's umask is. */
  public static void permit(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }
}
