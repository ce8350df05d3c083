package dev.runlane.connectorkit.browser;

import dev.runlane.connectorkit.message.ConnectorFailure;
import dev.runlane.connectorkit.message.RecoveryAction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A browser's folder of the owner's sessions, held by one connector at a time and readable by its
 * owner alone.
 */
final class BrowserProfile implements AutoCloseable {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]+");

  private final Path folder;
  private final FileChannel lockFile;

  private BrowserProfile(Path folder, FileChannel lockFile) {
    this.folder = folder;
    this.lockFile = lockFile;
  }

  /** The profile's folder name. Fails with {@link ConnectorFailure} for a name that could leave the root. */
  static String folderName(BrowserEnvironment surroundings, String name) {
    requireName("profile", name);
    return surroundings
        .instance()
        .map(instance -> name + "__" + requireName("instance", instance))
        .orElse(name);
  }

  /**
   * Makes the folder where it is missing, and holds it until {@link #close}. Fails with {@link
   * ConnectorFailure} while another connector, or a browser, has it.
   */
  static BrowserProfile hold(Path root, String folderName) {
    try {
      PrivateFolder.createMissing(root);
      Path folder = PrivateFolder.create(root.resolve(folderName)).toRealPath();
      FileChannel lockFile = FileChannel.open(
          root.resolve(folderName + ".lock"), // no profile is named so: names have no dot
          StandardOpenOption.CREATE,
          StandardOpenOption.WRITE);
      return new BrowserProfile(folder, lockFile).held();
    } catch (IOException notUsable) {
      throw new UncheckedIOException(
          "the browser profile " + root.resolve(folderName) + " cannot be used", notUsable);
    }
  }

  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    try {
      lockFile.close();
    } catch (IOException notClosed) {
      throw new UncheckedIOException("the browser profile's lock was not closed", notClosed);
    }
  }

  private BrowserProfile held() throws IOException {
    boolean held = false;
    try {
      if (tryLock() == null) {
        throw inUse("another connector has it open");
      }
      new SingletonLocks(folder).removeStale();
      held = true;
      return this;
    } finally {
      if (!held) {
        lockFile.close();
      }
    }
  }

  private @Nullable FileLock tryLock() throws IOException {
    try {
      return lockFile.tryLock();
    } catch (OverlappingFileLockException heldByThisProcess) {
      return null;
    }
  }

  static ConnectorFailure inUse(String reason) {
    return ConnectorFailure.retryable(
        "browser_profile_in_use", "the browser profile is in use: " + reason);
  }

  private static String requireName(String what, String name) {
    if (!NAME.matcher(name).matches()) {
      throw ConnectorFailure.permanent(
          "browser_profile_name_invalid",
          "a browser's %s name consists of letters, digits, _ and -".formatted(what),
          RecoveryAction.NOT_RETRIABLE);
    }
    return name;
  }
}
