package dev.runlane.testinfra.folder;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;

/** Programs as the class path brings them packed. */
public final class Tarball {
  private Tarball() {}

  /** A jar knows the checksum of its entries; elsewhere the whole file is read for it. */
  public static long checksum(URL archive) throws IOException {
    URLConnection connection = archive.openConnection();
    if (connection instanceof JarURLConnection jar) {
      return jar.getJarEntry().getCrc();
    }
    try (CheckedInputStream content =
        new CheckedInputStream(connection.getInputStream(), new CRC32())) {
      content.transferTo(OutputStream.nullOutputStream());
      return content.getChecksum().getValue();
    }
  }

  /**
   * Unpacks everything into an empty folder, readable by every user.
   *
   * @param unzipped the archive without its compression
   */
  public static void unpack(InputStream unzipped, Path folder) throws IOException {
    try (TarArchiveInputStream tar = new TarArchiveInputStream(unzipped)) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        unpackEntry(tar, entry, folder);
      }
    }
  }

  private static void unpackEntry(TarArchiveInputStream tar, TarArchiveEntry entry, Path folder)
      throws IOException {
    Path target = folder.resolve(entry.getName()).normalize();
    if (!target.startsWith(folder)) {
      throw new IOException("the archive wants to write outside its folder: " + entry.getName());
    }
    createFolders(target.getParent(), folder);
    if (entry.isDirectory()) {
      createFolders(target, folder);
    } else if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
    } else if (entry.isLink()) {
      Files.createLink(target, folder.resolve(entry.getLinkName()));
    } else {
      Files.copy(tar, target);
      boolean executable = (entry.getMode() & 0100) != 0;
      FolderTree.permit(target, executable ? "rwxr-xr-x" : "rw-r--r--");
    }
  }

  /** Creates a folder and those above it, down from the root. */
  private static void createFolders(@Nullable Path wanted, Path root) throws IOException {
    if (wanted == null || wanted.equals(root) || Files.isDirectory(wanted)) {
      return;
    }
    createFolders(wanted.getParent(), root);
    Files.createDirectory(wanted);
    FolderTree.permit(wanted, "rwxr-xr-x");
  }
}
