package dev.runlane.runtime;

import static dev.runlane.options.OptionTypes.choices;
import static dev.runlane.options.OptionTypes.nested;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import io.vertx.core.json.JsonObject;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The roles that one process deploys, and their options. Without changes all of them with one worker; retention removes
 * nothing until it is configured how old runs must be. What is set and what is asked for are copies.
 */
public final class RunlaneDeployment extends RoleOptions<RunlaneDeployment> {
  /** Workers = 1. */
  public static final int DEFAULT_WORKER_INSTANCES = 1;

  /** Consumers = 1. */
  public static final int DEFAULT_CONSUMER_INSTANCES = 1;

  private static final OptionSet OPTIONS = RoleOptions.options("a deployment");
  private static final Option<Set<RunlaneRole>> ROLES = OPTIONS.add(
      "roles",
      EnumSet.allOf(RunlaneRole.class),
      choices(List.of(RunlaneRole.values()), RunlaneRole::value));
  private static final Option<Integer> WORKER_INSTANCES =
      OPTIONS.add("workerInstances", DEFAULT_WORKER_INSTANCES, whole(1));
  private static final Option<Integer> CONSUMER_INSTANCES =
      OPTIONS.add("consumerInstances", DEFAULT_CONSUMER_INSTANCES, whole(1));
  private static final Option<WorkerOptions> WORKER =
      OPTIONS.add("worker", new WorkerOptions(), nested(WorkerOptions::new, WorkerOptions::new));
  private static final Option<RetentionOptions> RETENTION = OPTIONS.add(
      "retention", new RetentionOptions(), nested(RetentionOptions::new, RetentionOptions::new));

  /** All roles with their defaults. */
  public RunlaneDeployment() {
    super(OPTIONS);
  }

  /** A copy. */
  public RunlaneDeployment(RunlaneDeployment other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public RunlaneDeployment(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The roles the process takes. */
  public Set<RunlaneRole> getRoles() {
    return new LinkedHashSet<>(get(ROLES));
  }

  /** Sets the roles the process takes. */
  public RunlaneDeployment setRoles(Set<RunlaneRole> roles) {
    return set(ROLES, roles);
  }

  /** How many worker verticles are deployed. */
  public int getWorkerInstances() {
    return get(WORKER_INSTANCES);
  }

  /** Sets how many worker verticles are deployed, each with its own slots; at least 1. */
  public RunlaneDeployment setWorkerInstances(int workerInstances) {
    return set(WORKER_INSTANCES, workerInstances);
  }

  /** How many consumers take wakeups, where the transport shares them out. */
  public int getConsumerInstances() {
    return get(CONSUMER_INSTANCES);
  }

  /** Sets how many consumers take wakeups, each on an event loop and with slots of its own; at least 1. */
  public RunlaneDeployment setConsumerInstances(int consumerInstances) {
    return set(CONSUMER_INSTANCES, consumerInstances);
  }

  /**
   * How each worker works, and each consumer as far as worker id, queues, concurrency and drain timeout go.
   * Beside consumers a worker that polls is a safety net: see {@link WorkerMode#SAFETY_NET}.
   */
  public WorkerOptions getWorker() {
    return get(WORKER);
  }

  /** Sets how each worker works. */
  public RunlaneDeployment setWorker(WorkerOptions options) {
    return set(WORKER, options);
  }

  /** Which old runs are removed. */
  public RetentionOptions getRetention() {
    return get(RETENTION);
  }

  /** Sets which old runs are removed. */
  public RunlaneDeployment setRetention(RetentionOptions options) {
    return set(RETENTION, options);
  }
}
