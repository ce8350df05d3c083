package dev.runlane.storage;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.run.AppendRunEvents;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Refuses what a storage does not report. */
public final class Capabilities {
  private Capabilities() {}

  /** Throws {@code CapabilityUnsupported} unless {@code needed} is reported. */
  public static void require(
      Set<StorageCapability> reported, StorageCapability needed, String method) {
    if (!reported.contains(needed)) {
      throw RunlaneException.of(
          ErrorCode.CAPABILITY_UNSUPPORTED,
          "%s needs the capability %s, which this storage does not report",
          method,
          needed.value());
    }
  }

  /** Throws {@code CapabilityUnsupported} when one of the queues is bounded and limits are not enforced. */
  public static void requireForQueues(
      Set<StorageCapability> reported, List<QueuePolicy> queues, String method) {
    if (queues.stream().anyMatch(QueuePolicy::isBounded)) {
      require(reported, StorageCapability.ENFORCES_QUEUE_CONCURRENCY, method);
    }
  }

  /** Throws {@code CapabilityUnsupported} when the append needs something that is not reported. */
  public static void requireForAppend(Set<StorageCapability> reported, AppendRunEvents command) {
    QueuePolicy policy = command.queuePolicy();
    if (policy != null) {
      requireForQueues(reported, List.of(policy), "appendRunEvents with a limit");
    }
    if (command.claimOutboxFor() != null) {
      require(reported, StorageCapability.PERSISTS_OUTBOX, "claiming outbox messages at once");
    }
    if (command.events().stream().anyMatch(Capabilities::isRemoteStep)) {
      require(reported, StorageCapability.PERSISTS_STEPS, "a remote step");
    }
    RunKeys created = createdKeys(command);
    if (created != null && created.idempotencyKey() != null) {
      require(reported, StorageCapability.ENFORCES_IDEMPOTENCY, "creation with an idempotency key");
    }
    if (created != null && created.singletonKey() != null) {
      require(reported, StorageCapability.ENFORCES_SINGLETON, "creation with a singleton key");
    }
  }

  private static boolean isRemoteStep(RunEvent event) {
    return event instanceof RunEvent.StepRequested step && step.isRemote();
  }

  private static @Nullable RunKeys createdKeys(AppendRunEvents command) {
    for (RunEvent event : command.events()) {
      if (event instanceof RunEvent.Created created) {
        return created.keys();
      }
    }
    return null;
  }
}
