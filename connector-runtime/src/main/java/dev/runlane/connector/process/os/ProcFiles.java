package dev.runlane.connector.process.os;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads {@code /proc}. A process may vanish between two looks, so what cannot be read is not there. Blocks. */
public final class ProcFiles {
  private static final Path PROC = Path.of("/proc");

  private ProcFiles() {}

  /** A file that the kernel keeps about a process. */
  public static Path of(long pid, String file) {
    return PROC.resolve(Long.toString(pid)).resolve(file);
  }

  /** What the kernel says about a process, or empty when it is gone. */
  public static Optional<ProcessStat> stat(long pid) {
    try {
      return Optional.of(
          ProcessStat.parse(pid, Files.readString(of(pid, "stat"), StandardCharsets.ISO_8859_1)));
    } catch (IOException gone) {
      return Optional.empty();
    }
  }

  /** All processes but dead ones. */
  public static List<ProcessStat> all() {
    List<ProcessStat> all = new ArrayList<>();
    try (DirectoryStream<Path> numbers = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path number : numbers) {
        stat(Long.parseLong(number.getFileName().toString()))
            .filter(stat -> !stat.isDead())
            .ifPresent(all::add);
      }
    } catch (IOException | DirectoryIteratorException e) { // the latter while it is walked
      throw RunlaneException.of(ErrorCode.INTERNAL_ERROR, "/proc cannot be read")
          .causedBy(e);
    }
    return all;
  }

  /** Whether the environment the process was started with holds {@code variable}, which is {@code NAME=value}. */
  public static boolean hasVariable(long pid, String variable) {
    return environment(pid).contains("\0" + variable + "\0");
  }

  private static String environment(long pid) {
    try {
      return "\0" + Files.readString(of(pid, "environ"), StandardCharsets.ISO_8859_1) + "\0";
    } catch (IOException unreadable) {
      return "";
    }
  }

  /** What the file is that the process has open, such as {@code pipe:[4711]}; empty where it cannot be seen. */
  public static Optional<String> openFile(long pid, int descriptor) {
    return link(of(pid, "fd").resolve(Integer.toString(descriptor)));
  }

  /** Whether the process has {@code file} open, named as {@link #openFile} names it. */
  static boolean holds(long pid, String file) {
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(of(pid, "fd"))) {
      for (Path descriptor : descriptors) {
        if (link(descriptor).filter(file::equals).isPresent()) {
          return true;
        }
      }
      return false;
    } catch (IOException
        | DirectoryIteratorException unreadable) { // the process has left meanwhile
      return false;
    }
  }

  private static Optional<String> link(Path path) {
    try {
      return Optional.of(Files.readSymbolicLink(path).toString());
    } catch (IOException gone) {
      return Optional.empty();
    }
  }
}
