package dev.runlane.testinfra.folder;

import dev.runlane.testinfra.ServerException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Keeps other launchers off a data folder for as long as ours runs a server on it. */
public final class FolderLock implements AutoCloseable {
  private static final String FILE = "lock";

  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  /** Takes the lock at once, or fails and says who has it. */
  public static FolderLock take(Path folder) throws IOException {
    Path file = FolderTree.own(folder.resolve(FILE)); // whoever may read it may lock it too
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      if (tryLock(channel) == null) {
        throw new ServerException("the data folder " + folder
            + " is in use by process " + Files.readString(file).strip()
            + ": stop that one first, or choose another folder");
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(
          String.valueOf(ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8)));
      return new FolderLock(channel);
    } catch (IOException | RuntimeException failure) {
      channel.close();
      throw failure;
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException heldByThisProcess) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
