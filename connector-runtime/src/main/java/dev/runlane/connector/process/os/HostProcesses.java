package dev.runlane.connector.process.os;

import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Distinguishes processes of this start of this machine from all others. Machines that share a database need names of
 * their own. Its methods read files and block shortly.
 */
public final class HostProcesses {
  private final String host;
  private final String bootId;

  private HostProcesses(String host, String bootId) {
    this.host = host;
    this.bootId = bootId;
  }

  /** This machine, as it is running now. Throws {@code ConfigurationInvalid} where there is no {@code /proc}. */
  public static HostProcesses here() {
    try {
      String bootId =
          Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
      return new HostProcesses(hostName(), bootId);
    } catch (IOException e) {
      throw RunlaneException.configurationInvalid("child processes need Linux's /proc")
          .causedBy(e);
    }
  }

  /** The process of this call. */
  public ProcessIdentity self() {
    return find(ProcessHandle.current().pid())
        .orElseThrow(
            () -> RunlaneException.configurationInvalid("/proc does not show the process itself"));
  }

  /** The process that has this pid now; empty when none has. */
  public Optional<ProcessIdentity> find(long pid) {
    return ProcFiles.stat(pid)
        .filter(stat -> !stat.isDead())
        .map(stat -> new ProcessIdentity(host, bootId, pid, stat.startTicks()));
  }

  /** Whether the process was one of this machine. Only then can {@link #isAlive} know of it. */
  public boolean isLocal(ProcessIdentity process) {
    return process.host().equals(host);
  }

  /** Whether the process runs on this machine now: not another with its pid, nor one from before a restart. */
  public boolean isAlive(ProcessIdentity process) {
    return find(process.pid()).filter(process::equals).isPresent();
  }

  /**
   * The kernel's name of the machine, what {@code uname -n} says, and its world of pids: containers may share the
   * name and do not see each other's processes.
   */
  private static String hostName() throws IOException {
    String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    return name + "/" + Files.readSymbolicLink(Path.of("/proc/self/ns/pid"));
  }
}
