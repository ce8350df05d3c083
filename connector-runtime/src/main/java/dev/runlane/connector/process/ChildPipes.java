package dev.runlane.connector.process;

import dev.runlane.connector.process.os.ProcFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * Our own ends of a child's three pipes, opened through {@code /proc} while the child waits at its gate. The
 * streams of {@link Process} would not do: a thread inside one stays there through close and interrupt while
 * anybody holds the other end, and when the child exits the JDK drains them without a bound into memory. A
 * channel's close wakes whoever waits in it.
 *
 * @param names what the kernel calls the pipes of stdout and stderr
 */
record ChildPipes(FileChannel stdin, FileChannel stdout, FileChannel stderr, Set<String> names)
    implements Closeable {
  private static final int OUT = 1;
  private static final int ERROR = 2;

  /** Takes the pipes over from {@code process}, whose own streams are closed. */
  static ChildPipes of(Process process) throws IOException {
    long pid = process.pid();
    FileChannel[] opened = new FileChannel[3];
    try {
      opened[0] = FileChannel.open(ProcFiles.of(pid, "fd/0"), StandardOpenOption.WRITE);
      opened[1] = FileChannel.open(ProcFiles.of(pid, "fd/1"), StandardOpenOption.READ);
      opened[2] = FileChannel.open(ProcFiles.of(pid, "fd/2"), StandardOpenOption.READ);
      Set<String> names = new HashSet<>();
      ProcFiles.openFile(pid, OUT).ifPresent(names::add);
      ProcFiles.openFile(pid, ERROR).ifPresent(names::add);
      return new ChildPipes(opened[0], opened[1], opened[2], Set.copyOf(names));
    } catch (IOException e) {
      for (FileChannel channel : opened) {
        if (channel != null) {
          channel.close();
        }
      }
      throw e;
    } finally {
      process.getInputStream().close();
      process.getErrorStream().close();
      process.getOutputStream().close();
    }
  }

  /** Waits for the one byte with which the gate says that it stands; false when the child ended instead. */
  boolean awaitGate() throws IOException {
    return stdout.read(ByteBuffer.allocate(1)) == 1;
  }

  @Override
  public void close() throws IOException {
    try (stdin;
        stdout;
        stderr) {
      // closed in reverse order
    }
  }
}
