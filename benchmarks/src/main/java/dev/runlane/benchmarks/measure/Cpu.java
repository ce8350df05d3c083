package dev.runlane.benchmarks.measure;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** CPU time of processes in microseconds, user and system, from {@code /proc}. Linux only. */
public final class Cpu {
  private static final Path PROC = Path.of("/proc");
  private static final long MICROS_PER_TICK = 10_000; // USER_HZ is 100 on every Linux

  private Cpu() {}

  /** Of one process with all its threads; 0 when there is none. */
  public static long ofProcess(long pid) {
    return stat(pid).map(stat -> stat.ownMicros()).orElse(0L);
  }

  /** Of a server's main process, all its children, and those that have ended. */
  public static long ofServer(long mainPid) {
    long micros =
        stat(mainPid).map(stat -> stat.ownMicros() + stat.endedChildrenMicros()).orElse(0L);
    try (DirectoryStream<Path> all = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path each : all) {
        Optional<Stat> stat = stat(Long.parseLong(each.getFileName().toString()));
        if (stat.isPresent() && stat.get().parent() == mainPid) {
          micros += stat.get().ownMicros();
        }
      }
    } catch (IOException failure) {
      throw new IllegalStateException("the processes cannot be listed", failure);
    }
    return micros;
  }

  private static Optional<Stat> stat(long pid) {
    try {
      String line = Files.readString(PROC.resolve(pid + "/stat"));
      String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
      return Optional.of(new Stat(
          Long.parseLong(fields[1]),
          (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * MICROS_PER_TICK,
          (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) * MICROS_PER_TICK));
    } catch (IOException gone) {
      return Optional.empty(); // it ended between the listing and the reading
    }
  }

  private record Stat(long parent, long ownMicros, long endedChildrenMicros) {}
}
