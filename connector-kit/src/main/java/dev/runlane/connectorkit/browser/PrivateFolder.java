package dev.runlane.connectorkit.browser;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A folder that only its owner enters: mode 0700. */
final class PrivateFolder {

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");
  private static final FileAttribute<?> ATTRIBUTE =
      PosixFilePermissions.asFileAttribute(OWNER_ONLY);

  private PrivateFolder() {}

  /** Makes the folder and its missing parents private; a folder that is there already becomes so. */
  static Path create(Path folder) throws IOException {
    createMissing(folder);
    if (!Files.getPosixFilePermissions(folder).equals(OWNER_ONLY)) {
      Files.setPosixFilePermissions(folder, OWNER_ONLY);
    }
    return folder;
  }

  /** The same, but a folder that is there already stays as it is: others may use it too. */
  static void createMissing(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) { // a link to a folder is one
      Files.createDirectories(folder, ATTRIBUTE);
    }
  }
}
