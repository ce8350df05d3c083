package dev.runlane.connector.process.os;

import dev.runlane.run.RunlaneException;

/**
 * One process of one start of one machine; no two processes ever share it, though pids are used again.
 *
 * @param host the machine's name and its world of pids
 * @param bootId Linux's id of this start of the machine
 * @param pid the process
 * @param startTicks when it began: ticks since the machine's start, field 22 of {@code /proc/PID/stat}
 */
public record ProcessIdentity(String host, String bootId, long pid, long startTicks) {
  /** Throws {@code ValidationFailed} for what no process has. */
  public ProcessIdentity {
    if (host.isBlank() || bootId.isBlank() || pid < 1 || startTicks < 0) {
      throw RunlaneException.validationFailed(
          "a process needs host, boot id, pid and start, but has '%s', '%s', %d, %d",
          host, bootId, pid, startTicks);
    }
  }
}
