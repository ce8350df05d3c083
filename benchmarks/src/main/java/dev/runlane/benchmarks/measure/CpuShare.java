package dev.runlane.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A part of the cores that processes may use, by a control group of their own: {@code cpu.cfs_quota_us} of version 1 or
 * {@code cpu.max} of version 2. Linux, and the right to make one.
 */
public final class CpuShare implements AutoCloseable {
  private static final Path VERSION_2 = Path.of("/sys/fs/cgroup");
  private static final Path VERSION_1 = VERSION_2.resolve("cpu");
  private static final int PERIOD_MICROS = 20_000;
  private static final String MEMBERS = "cgroup.procs";

  private final Path group;

  private CpuShare(Path group) {
    this.group = group;
  }

  /** Whether one can be made here. */
  public static boolean isPossible() {
    try (CpuShare tried = of(1)) {
      return Files.exists(tried.group);
    } catch (UncheckedIOException refused) {
      return false;
    }
  }

  /** So many cores together for all that are added. */
  public static CpuShare of(double cores) {
    long quota = Math.round(cores * PERIOD_MICROS);
    boolean first = Files.isDirectory(VERSION_1);
    Path root = first ? VERSION_1 : VERSION_2;
    try {
      CpuShare share =
          new CpuShare(Files.createDirectory(root.resolve("runlane-" + UUID.randomUUID())));
      if (first) {
        share.set("cpu.cfs_period_us", String.valueOf(PERIOD_MICROS));
        share.set("cpu.cfs_quota_us", String.valueOf(quota));
      } else {
        share.set("cpu.max", quota + " " + PERIOD_MICROS);
      }
      return share;
    } catch (IOException refused) {
      throw new UncheckedIOException("no control group can be made", refused);
    }
  }

  private void set(String setting, String value) throws IOException {
    try {
      Files.writeString(group.resolve(setting), value);
    } catch (IOException refused) {
      Files.delete(group);
      throw refused;
    }
  }

  /** From now on this process, with all its threads, uses no more. */
  public void add(long pid) {
    try {
      Files.writeString(group.resolve(MEMBERS), String.valueOf(pid));
    } catch (IOException refused) {
      throw new UncheckedIOException("the process cannot be capped", refused);
    }
  }

  /** Lets go of those that are still there. */
  @Override
  public void close() {
    try {
      for (String left : Files.readAllLines(group.resolve(MEMBERS))) {
        Files.writeString(group.resolveSibling(MEMBERS), left);
      }
      Files.delete(group);
    } catch (IOException failure) {
      throw new UncheckedIOException("the control group cannot be removed", failure);
    }
  }
}
