package dev.runlane.testinfra.postgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Finds the folder that keeps the data of a program on an {@link EmbeddedPostgres}. */
public final class DataPlace {
  private static final Path SHARED = Path.of("/var/tmp");
  private static final int HASH_CHARACTERS = 12;
  private static final String PERMISSIONS = "rwxr-xr-x";

  private DataPlace() {}

  /**
   * The wanted folder, which is made, or, as root where Postgres's own user cannot enter that, one below
   * {@code /var/tmp} that is always the same for the wanted one. Fails with {@link IOException}
   * where another user has put something in the place of the latter.
   */
  public static Path of(Path wanted) throws IOException {
    Path folder = wanted.toAbsolutePath().normalize();
    Files.createDirectories(folder);
    return EmbeddedPostgres.canKeepDataIn(folder) ? folder : besides(folder);
  }

  private static Path besides(Path folder) throws IOException {
    Path other = SHARED.resolve("runlane-" + hash(folder.toString()));
    if (!Files.exists(other, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(
          other,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(PERMISSIONS)));
    }
    // Anybody may put something there, and whoever owns it decides what this user reads.
    if (!Files.isDirectory(other, LinkOption.NOFOLLOW_LINKS)
        || !Files.getOwner(other, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(folder))) {
      throw new IOException(other + " is not a folder of this user: move it away");
    }
    return other;
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, HASH_CHARACTERS);
    } catch (NoSuchAlgorithmException everyJavaHasIt) {
      throw new IllegalStateException(everyJavaHasIt);
    }
  }
}
