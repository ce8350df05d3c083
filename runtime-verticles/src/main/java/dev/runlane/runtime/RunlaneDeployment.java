package dev.runlane.runtime;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepDeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Which roles one process takes, and how. Without changes all of them with one worker; retention removes
 * nothing until it is told how old runs must be. What is set and what is asked for are copies.
 */
public final class RunlaneDeployment {
  /** Workers = 1. */
  public static final int DEFAULT_WORKER_INSTANCES = 1;

  /** Consumers = 1. */
  public static final int DEFAULT_CONSUMER_INSTANCES = 1;

  private static final Set<String> KEYS = Set.of(
      "roles",
      "workerInstances",
      "consumerInstances",
      "worker",
      "dispatcher",
      "outboxPublisher",
      "scheduler",
      "cancellationFinalizer",
      "stepDispatcher",
      "stepResults",
      "retention");

  private Set<RunlaneRole> roles = EnumSet.allOf(RunlaneRole.class);
  private int workerInstances = DEFAULT_WORKER_INSTANCES;
  private int consumerInstances = DEFAULT_CONSUMER_INSTANCES;
  private WorkerOptions worker = new WorkerOptions();
  private DispatcherOptions dispatcher = new DispatcherOptions();
  private OutboxPublisherOptions outboxPublisher = new OutboxPublisherOptions();
  private SchedulerOptions scheduler = new SchedulerOptions();
  private CancellationFinalizerOptions cancellationFinalizer = new CancellationFinalizerOptions();
  private StepDispatcherOptions stepDispatcher = new StepDispatcherOptions();
  private StepDeliveryOptions stepResults = new StepDeliveryOptions();
  private RetentionOptions retention = new RetentionOptions();

  /** All roles with their defaults. */
  public RunlaneDeployment() {}

  /** A copy. */
  public RunlaneDeployment(RunlaneDeployment other) {
    roles = other.getRoles();
    workerInstances = other.workerInstances;
    consumerInstances = other.consumerInstances;
    worker = other.getWorker();
    dispatcher = other.getDispatcher();
    outboxPublisher = other.getOutboxPublisher();
    scheduler = other.getScheduler();
    cancellationFinalizer = other.getCancellationFinalizer();
    stepDispatcher = other.getStepDispatcher();
    stepResults = other.getStepResults();
    retention = other.getRetention();
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public RunlaneDeployment(JsonObject json) {
    OptionChecks.requireKnown("a deployment", json, KEYS);
    if (json.containsKey("roles")) {
      setRoles(roles(json.getValue("roles")));
    }
    OptionChecks.integer(json, "workerInstances", this::setWorkerInstances);
    OptionChecks.integer(json, "consumerInstances", this::setConsumerInstances);
    OptionChecks.object(json, "worker", value -> setWorker(new WorkerOptions(value)));
    OptionChecks.object(json, "dispatcher", value -> setDispatcher(new DispatcherOptions(value)));
    OptionChecks.object(
        json, "outboxPublisher", value -> setOutboxPublisher(new OutboxPublisherOptions(value)));
    OptionChecks.object(json, "scheduler", value -> setScheduler(new SchedulerOptions(value)));
    OptionChecks.object(
        json,
        "cancellationFinalizer",
        value -> setCancellationFinalizer(new CancellationFinalizerOptions(value)));
    OptionChecks.object(
        json, "stepDispatcher", value -> setStepDispatcher(new StepDispatcherOptions(value)));
    OptionChecks.object(
        json, "stepResults", value -> setStepResults(new StepDeliveryOptions(value)));
    OptionChecks.object(json, "retention", value -> setRetention(new RetentionOptions(value)));
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    JsonArray names = new JsonArray();
    roles.stream().map(RunlaneRole::value).forEach(names::add);
    return new JsonObject()
        .put("roles", names)
        .put("workerInstances", workerInstances)
        .put("consumerInstances", consumerInstances)
        .put("worker", worker.toJson())
        .put("dispatcher", dispatcher.toJson())
        .put("outboxPublisher", outboxPublisher.toJson())
        .put("scheduler", scheduler.toJson())
        .put("cancellationFinalizer", cancellationFinalizer.toJson())
        .put("stepDispatcher", stepDispatcher.toJson())
        .put("stepResults", stepResults.toJson())
        .put("retention", retention.toJson());
  }

  /** The roles the process takes. */
  public Set<RunlaneRole> getRoles() {
    return new LinkedHashSet<>(roles);
  }

  /** Sets the roles the process takes. */
  public RunlaneDeployment setRoles(Set<RunlaneRole> roles) {
    Set<RunlaneRole> copy = EnumSet.noneOf(RunlaneRole.class);
    copy.addAll(roles);
    this.roles = copy;
    return this;
  }

  /** How many worker verticles are deployed. */
  public int getWorkerInstances() {
    return workerInstances;
  }

  /** Sets how many worker verticles are deployed, each with its own slots; at least 1. */
  public RunlaneDeployment setWorkerInstances(int workerInstances) {
    this.workerInstances = OptionChecks.requireAtLeast(1, "workerInstances", workerInstances);
    return this;
  }

  /** How many consumers take wakeups, where the transport shares them out. */
  public int getConsumerInstances() {
    return consumerInstances;
  }

  /** Sets how many consumers take wakeups, each on an event loop and with slots of its own; at least 1. */
  public RunlaneDeployment setConsumerInstances(int consumerInstances) {
    this.consumerInstances = OptionChecks.requireAtLeast(1, "consumerInstances", consumerInstances);
    return this;
  }

  /**
   * How each worker works, and each consumer as far as worker id, queues, concurrency and drain timeout go.
   * Beside consumers a worker that polls is a safety net: see {@link WorkerMode#SAFETY_NET}.
   */
  public WorkerOptions getWorker() {
    return new WorkerOptions(worker);
  }

  /** Sets how each worker works. */
  public RunlaneDeployment setWorker(WorkerOptions options) {
    worker = new WorkerOptions(options);
    return this;
  }

  /** How due runs are delivered. */
  public DispatcherOptions getDispatcher() {
    return new DispatcherOptions(dispatcher);
  }

  /** Sets how due runs are delivered. */
  public RunlaneDeployment setDispatcher(DispatcherOptions options) {
    dispatcher = new DispatcherOptions(options);
    return this;
  }

  /** How wakeups are published. */
  public OutboxPublisherOptions getOutboxPublisher() {
    return new OutboxPublisherOptions(outboxPublisher);
  }

  /** Sets how wakeups are published. */
  public RunlaneDeployment setOutboxPublisher(OutboxPublisherOptions options) {
    outboxPublisher = new OutboxPublisherOptions(options);
    return this;
  }

  /** How schedules fire. */
  public SchedulerOptions getScheduler() {
    return new SchedulerOptions(scheduler);
  }

  /** Sets how schedules fire. */
  public RunlaneDeployment setScheduler(SchedulerOptions options) {
    scheduler = new SchedulerOptions(options);
    return this;
  }

  /** How cancellations are finished. */
  public CancellationFinalizerOptions getCancellationFinalizer() {
    return new CancellationFinalizerOptions(cancellationFinalizer);
  }

  /** Sets how cancellations are finished. */
  public RunlaneDeployment setCancellationFinalizer(CancellationFinalizerOptions options) {
    cancellationFinalizer = new CancellationFinalizerOptions(options);
    return this;
  }

  /** How workers of other processes are asked for remote steps. */
  public StepDispatcherOptions getStepDispatcher() {
    return new StepDispatcherOptions(stepDispatcher);
  }

  /** Sets how workers of other processes are asked for remote steps. */
  public RunlaneDeployment setStepDispatcher(StepDispatcherOptions options) {
    stepDispatcher = new StepDispatcherOptions(options);
    return this;
  }

  /** How results of remote steps are taken. */
  public StepDeliveryOptions getStepResults() {
    return new StepDeliveryOptions(stepResults);
  }

  /** Sets how results of remote steps are taken. */
  public RunlaneDeployment setStepResults(StepDeliveryOptions options) {
    stepResults = new StepDeliveryOptions(options);
    return this;
  }

  /** Which old runs are removed. */
  public RetentionOptions getRetention() {
    return new RetentionOptions(retention);
  }

  /** Sets which old runs are removed. */
  public RunlaneDeployment setRetention(RetentionOptions options) {
    retention = new RetentionOptions(options);
    return this;
  }

  private static Set<RunlaneRole> roles(Object value) {
    if (!(value instanceof JsonArray array)) {
      throw RunlaneException.configurationInvalid("option roles must be a list of roles");
    }
    Set<RunlaneRole> roles = EnumSet.noneOf(RunlaneRole.class);
    for (Object element : array) {
      roles.add(RunlaneRole.ofValue(String.valueOf(element))
          .orElseThrow(() -> RunlaneException.configurationInvalid(
              "there is no role %s; there are %s",
              element,
              EnumSet.allOf(RunlaneRole.class).stream().map(RunlaneRole::value).toList())));
    }
    return roles;
  }
}
