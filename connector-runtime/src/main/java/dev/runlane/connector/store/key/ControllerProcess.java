package dev.runlane.connector.store.key;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The process that a run lives in, described well enough to know later whether it is still there.
 *
 * @param controllerId one start of a controller; no two starts share it
 * @param hostId the machine
 * @param bootId one boot of that machine
 * @param pid the process on that machine
 * @param startTicks when it started, as its machine counts; distinguishes two processes with one pid
 * @param address where other processes forward answers and cancellations to, or null when nothing listens
 */
public record ControllerProcess(
    String controllerId,
    String hostId,
    String bootId,
    long pid,
    long startTicks,
    @Nullable String address) {
  /** Refuses null but for the address. */
  public ControllerProcess {
    Objects.requireNonNull(controllerId);
    Objects.requireNonNull(hostId);
    Objects.requireNonNull(bootId);
  }
}
