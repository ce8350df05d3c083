package dev.runlane.runtime.task;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import java.time.Duration;

/**
 * A queue: a routing name and, optionally, a durable bound on how many of its runs may be under way at the
 * same time. Immutable; two are equal when name, bound and default flag are.
 */
public final class TaskQueue {
  private final QueuePolicy policy;
  private final boolean isDefault;

  private TaskQueue(QueuePolicy policy, boolean isDefault) {
    this.policy = policy;
    this.isDefault = isDefault;
  }

  /**
   * An unbounded queue. Throws {@code ConfigurationInvalid} when {@code name} is empty, holds {@code ':'}
   * or NUL, or has more than {@value ContractDefaults#MAX_ID_BYTES} bytes of UTF-8.
   */
  public static TaskQueue of(String name) {
    Identifiers.fault(name, ContractDefaults.MAX_ID_BYTES).ifPresent(fault -> {
      throw RunlaneException.configurationInvalid("a queue's name %s", fault);
    });
    return new TaskQueue(QueuePolicy.unbounded(name), false);
  }

  /**
   * The same queue with at most {@code limit} occupied slots for each concurrency key; runs without a key
   * share one partition. Throws {@code ConfigurationInvalid} below 1.
   */
  public TaskQueue concurrencyLimit(int limit) {
    if (limit < 1) {
      throw RunlaneException.configurationInvalid(
          "the concurrency limit of queue %s must be at least 1, but is %d", name(), limit);
    }
    return new TaskQueue(new QueuePolicy(name(), limit, policy.dispatchTimeout()), isDefault);
  }

  /**
   * The same bounded queue whose dispatch reservations may stay unclaimed for {@code timeout}. Throws
   * {@code ConfigurationInvalid} when it is not positive, and unless the queue has a concurrency limit.
   */
  public TaskQueue dispatchTimeout(Duration timeout) {
    if (!policy.isBounded()) {
      throw RunlaneException.configurationInvalid(
          "a dispatch timeout needs a concurrency limit, which queue %s does not have", name());
    }
    OptionChecks.requirePositive("dispatchTimeout of queue " + name(), timeout);
    return new TaskQueue(new QueuePolicy(name(), policy.concurrencyLimit(), timeout), isDefault);
  }

  /** The same queue, used where neither task nor caller chooses one. A runtime has at most one. */
  public TaskQueue asDefault() {
    return new TaskQueue(policy, true);
  }

  /** The name that is stored with runs and sent with wakeups. */
  public String name() {
    return policy.queue();
  }

  /** Whether it is used where nobody chooses one. */
  public boolean isDefault() {
    return isDefault;
  }

  /** The queue as storages and transports know it. */
  public QueuePolicy policy() {
    return policy;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TaskQueue that
        && policy.equals(that.policy)
        && isDefault == that.isDefault;
  }

  @Override
  public int hashCode() {
    return policy.hashCode();
  }

  @Override
  public String toString() {
    return policy.toString();
  }
}
