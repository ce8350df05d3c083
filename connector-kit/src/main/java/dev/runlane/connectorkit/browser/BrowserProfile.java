package dev.runlane.connectorkit.browser;

import dev.runlane.connectorkit.message.ConnectorFailure;
import dev.runlane.connectorkit.message.RecoveryAction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A browser's folder of the owner's sessions, held by one connector at a time and readable by its
 * owner alone. The file that is locked names the machine that holds it, and names none once it was let go.
 */
final class BrowserProfile implements AutoCloseable {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]+");

  /** More than the longest name of a machine. */
  private static final int MOST_HOST_BYTES = 1024;

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
          StandardOpenOption.READ,
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
    try (lockFile) {
      lockFile.truncate(0);
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
      new SingletonLocks(folder).removeStale(lastHolder());
      writeHolder();
      held = true;
      return this;
    } finally {
      if (!held) {
        lockFile.close();
      }
    }
  }

  /**
   * The machine of a connector that died while it held this, or empty. It is read through the channel that has the
   * lock, since closing any other of the file would give up the lock.
   */
  private String lastHolder() throws IOException {
    ByteBuffer name = ByteBuffer.allocate(MOST_HOST_BYTES);
    lockFile.read(name, 0);
    return StandardCharsets.UTF_8.decode(name.flip()).toString().strip();
  }

  private void writeHolder() throws IOException {
    lockFile.truncate(0);
    ByteBuffer name = StandardCharsets.UTF_8.encode(SingletonLocks.hostName() + "\n");
    while (name.hasRemaining()) {
      lockFile.write(name);
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
