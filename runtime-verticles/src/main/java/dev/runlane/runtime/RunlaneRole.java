package dev.runlane.runtime;

import java.util.Arrays;
import java.util.Optional;

/** The roles of a runtime, each with a verticle of its own. The string values never change. */
public enum RunlaneRole {
  /** Claims due runs and calls handlers. */
  WORKER("worker"),
  /** Takes wakeups from a transport that shares them out and calls handlers; nothing with other transports. */
  CONSUMER("consumer"),
  /** Keeps leases alive; comes with the workers by itself. */
  LEASE_HEARTBEATER("leaseHeartbeater"),
  /** Gets due runs delivered. */
  DISPATCHER("dispatcher"),
  /** Publishes wakeups. */
  OUTBOX_PUBLISHER("outboxPublisher"),
  /** Makes runs of schedules. */
  SCHEDULER("scheduler"),
  /** Writes the cancellations that lost owners did not write. */
  CANCELLATION_FINALIZER("cancellationFinalizer"),
  /** Dispatches remote steps to workers of other processes; nothing where the runtime has no step transport. */
  STEP_DISPATCHER("stepDispatcher"),
  /** Takes the results of remote steps; nothing where the runtime has no step transport. */
  STEP_RESULTS("stepResults"),
  /** Removes old runs. */
  RETENTION("retention");

  private final String value;

  RunlaneRole(String value) {
    this.value = value;
  }

  /** The string in options. */
  public String value() {
    return value;
  }

  /** The role with this string value, or empty when there is none. */
  public static Optional<RunlaneRole> ofValue(String value) {
    return Arrays.stream(values()).filter(role -> role.value.equals(value)).findFirst();
  }
}
