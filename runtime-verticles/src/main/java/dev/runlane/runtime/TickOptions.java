package dev.runlane.runtime;

import dev.runlane.options.OptionChecks;
import dev.runlane.steps.StepDeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.Set;

/**
 * How a maintenance pass works: the options of the roles it goes through. Their delays and drain timeouts
 * mean nothing to a single pass. What is set and what is asked for are copies.
 */
public final class TickOptions {
  private static final Set<String> KEYS = Set.of(
      "scheduler",
      "cancellationFinalizer",
      "stepDispatcher",
      "stepResults",
      "dispatcher",
      "outboxPublisher");

  private SchedulerOptions scheduler = new SchedulerOptions();
  private CancellationFinalizerOptions cancellationFinalizer = new CancellationFinalizerOptions();
  private StepDispatcherOptions stepDispatcher = new StepDispatcherOptions();
  private StepDeliveryOptions stepResults = new StepDeliveryOptions();
  private DispatcherOptions dispatcher = new DispatcherOptions();
  private OutboxPublisherOptions outboxPublisher = new OutboxPublisherOptions();

  /** The defaults of each role. */
  public TickOptions() {}

  /** A copy. */
  public TickOptions(TickOptions other) {
    scheduler = other.getScheduler();
    cancellationFinalizer = other.getCancellationFinalizer();
    stepDispatcher = other.getStepDispatcher();
    stepResults = other.getStepResults();
    dispatcher = other.getDispatcher();
    outboxPublisher = other.getOutboxPublisher();
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public TickOptions(JsonObject json) {
    this();
    OptionChecks.requireKnown("a maintenance pass", json, KEYS);
    OptionChecks.object(json, "scheduler", value -> setScheduler(new SchedulerOptions(value)));
    OptionChecks.object(
        json,
        "cancellationFinalizer",
        value -> setCancellationFinalizer(new CancellationFinalizerOptions(value)));
    OptionChecks.object(
        json, "stepDispatcher", value -> setStepDispatcher(new StepDispatcherOptions(value)));
    OptionChecks.object(
        json, "stepResults", value -> setStepResults(new StepDeliveryOptions(value)));
    OptionChecks.object(json, "dispatcher", value -> setDispatcher(new DispatcherOptions(value)));
    OptionChecks.object(
        json, "outboxPublisher", value -> setOutboxPublisher(new OutboxPublisherOptions(value)));
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("scheduler", scheduler.toJson())
        .put("cancellationFinalizer", cancellationFinalizer.toJson())
        .put("stepDispatcher", stepDispatcher.toJson())
        .put("stepResults", stepResults.toJson())
        .put("dispatcher", dispatcher.toJson())
        .put("outboxPublisher", outboxPublisher.toJson());
  }

  /** How fires of schedules are looked after. */
  public SchedulerOptions getScheduler() {
    return new SchedulerOptions(scheduler);
  }

  /** Sets how fires of schedules are looked after. */
  public TickOptions setScheduler(SchedulerOptions options) {
    scheduler = new SchedulerOptions(options);
    return this;
  }

  /** How cancellations are finished. */
  public CancellationFinalizerOptions getCancellationFinalizer() {
    return new CancellationFinalizerOptions(cancellationFinalizer);
  }

  /** Sets how cancellations are finished. */
  public TickOptions setCancellationFinalizer(CancellationFinalizerOptions options) {
    cancellationFinalizer = new CancellationFinalizerOptions(options);
    return this;
  }

  /** How workers of other processes are asked for remote steps. */
  public StepDispatcherOptions getStepDispatcher() {
    return new StepDispatcherOptions(stepDispatcher);
  }

  /** Sets how workers of other processes are asked for remote steps. */
  public TickOptions setStepDispatcher(StepDispatcherOptions options) {
    stepDispatcher = new StepDispatcherOptions(options);
    return this;
  }

  /** How results of remote steps are taken. */
  public StepDeliveryOptions getStepResults() {
    return new StepDeliveryOptions(stepResults);
  }

  /** Sets how results of remote steps are taken. */
  public TickOptions setStepResults(StepDeliveryOptions options) {
    stepResults = new StepDeliveryOptions(options);
    return this;
  }

  /** How deliveries are requested and slots reserved. */
  public DispatcherOptions getDispatcher() {
    return new DispatcherOptions(dispatcher);
  }

  /** Sets how deliveries are requested and slots reserved. */
  public TickOptions setDispatcher(DispatcherOptions options) {
    dispatcher = new DispatcherOptions(options);
    return this;
  }

  /** How the outbox is published. */
  public OutboxPublisherOptions getOutboxPublisher() {
    return new OutboxPublisherOptions(outboxPublisher);
  }

  /** Sets how the outbox is published. */
  public TickOptions setOutboxPublisher(OutboxPublisherOptions options) {
    outboxPublisher = new OutboxPublisherOptions(options);
    return this;
  }
}
