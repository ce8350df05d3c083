package dev.runlane.runtime.registry;

import dev.runlane.lane.Lane;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a lane must offer for the queues and tasks of a runtime. */
public final class RuntimeChecks {
  private RuntimeChecks() {}

  /** Throws {@code ConfigurationInvalid} or {@code CapabilityUnsupported}. */
  public static void check(Registry registry, Lane lane) {
    if (registry.queues().isEmpty()) {
      throw RunlaneException.configurationInvalid("a runtime needs at least one queue");
    }
    lane.transport().queues().ifPresent(bound -> requireBindings(registry.policies(), bound));
    Set<StorageCapability> reported = lane.storage().capabilities();
    Capabilities.requireForQueues(reported, registry.policies(), "a bounded queue");
    if (!registry.schedules().isEmpty()) {
      Capabilities.require(reported, StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES, "a schedule");
    }
    registry.tasks().forEach(registered -> requireForTask(reported, registered.task()));
  }

  /** Throws {@code ConfigurationInvalid} when an operator's runtime was given what only a worker's has. */
  public static void checkOperatorOnly(
      Collection<TaskQueue> queues, Collection<TaskDescription<?>> tasks) {
    if (!queues.isEmpty() || !tasks.isEmpty()) {
      throw RunlaneException.configurationInvalid(
          "an operator's runtime has neither queues nor tasks, but was given queues %s and tasks %s",
          queues, tasks.stream().map(TaskDescription::id).toList());
    }
  }

  private static void requireForTask(Set<StorageCapability> reported, TaskDescription<?> task) {
    if (task.idempotencyKey().isPresent()) {
      Capabilities.require(
          reported,
          StorageCapability.ENFORCES_IDEMPOTENCY,
          "the idempotency key of task " + task.id());
    }
    if (task.singletonKey().isPresent()) {
      Capabilities.require(
          reported, StorageCapability.ENFORCES_SINGLETON, "the singleton key of task " + task.id());
    }
  }

  private static void requireBindings(List<QueuePolicy> wanted, List<QueuePolicy> bound) {
    Map<String, QueuePolicy> byName =
        bound.stream().collect(Collectors.toMap(QueuePolicy::queue, Function.identity()));
    for (QueuePolicy policy : wanted) {
      if (!policy.equals(byName.get(policy.queue()))) {
        throw RunlaneException.configurationInvalid(
            "the transport has no binding for queue %s with the same policy; it has %s",
            policy.queue(), bound);
      }
    }
  }
}
