package dev.runlane.runtime;

import static dev.runlane.options.OptionTypes.nested;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.runtime.maintenance.CancellationFinalizerOptions;
import dev.runlane.runtime.maintenance.DispatcherOptions;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.remote.StepDispatcherOptions;
import dev.runlane.runtime.schedule.SchedulerOptions;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import io.vertx.core.json.JsonObject;

/**
 * The options of the roles that a deployment and a single pass have in common. What is set and what is asked for are
 * copies.
 *
 * @param <S> the options of one of the two
 */
public abstract sealed class RoleOptions<S extends RoleOptions<S>> extends OptionValues<S>
    permits RunlaneDeployment, TickOptions {
  private static final OptionSet SHARED = OptionSet.of("roles");
  private static final Option<SchedulerOptions> SCHEDULER = SHARED.add(
      "scheduler", new SchedulerOptions(), nested(SchedulerOptions::new, SchedulerOptions::new));
  private static final Option<CancellationFinalizerOptions> CANCELLATION_FINALIZER = SHARED.add(
      "cancellationFinalizer",
      new CancellationFinalizerOptions(),
      nested(CancellationFinalizerOptions::new, CancellationFinalizerOptions::new));
  private static final Option<StepDispatcherOptions> STEP_DISPATCHER = SHARED.add(
      "stepDispatcher",
      new StepDispatcherOptions(),
      nested(StepDispatcherOptions::new, StepDispatcherOptions::new));
  private static final Option<StepDeliveryOptions> STEP_RESULTS = SHARED.add(
      "stepResults",
      new StepDeliveryOptions(),
      nested(StepDeliveryOptions::new, StepDeliveryOptions::new));
  private static final Option<DispatcherOptions> DISPATCHER = SHARED.add(
      "dispatcher",
      new DispatcherOptions(),
      nested(DispatcherOptions::new, DispatcherOptions::new));
  private static final Option<OutboxPublisherOptions> OUTBOX_PUBLISHER = SHARED.add(
      "outboxPublisher",
      new OutboxPublisherOptions(),
      nested(OutboxPublisherOptions::new, OutboxPublisherOptions::new));

  RoleOptions(OptionSet options) {
    super(options);
  }

  RoleOptions(RoleOptions<S> other) {
    super(other);
  }

  RoleOptions(OptionSet options, JsonObject json) {
    super(options, json);
  }

  /** The options of these roles, to which {@code owner} adds its own. */
  static OptionSet options(String owner) {
    return SHARED.extended(owner);
  }

  /** How due fires of schedules become runs. */
  public SchedulerOptions getScheduler() {
    return get(SCHEDULER);
  }

  /** Sets how fires of schedules are looked after. */
  public S setScheduler(SchedulerOptions options) {
    return set(SCHEDULER, options);
  }

  /** How cancellations are finished. */
  public CancellationFinalizerOptions getCancellationFinalizer() {
    return get(CANCELLATION_FINALIZER);
  }

  /** Sets how cancellations are finished. */
  public S setCancellationFinalizer(CancellationFinalizerOptions options) {
    return set(CANCELLATION_FINALIZER, options);
  }

  /** How remote steps are dispatched to workers of other processes. */
  public StepDispatcherOptions getStepDispatcher() {
    return get(STEP_DISPATCHER);
  }

  /** Sets how workers of other processes are asked for remote steps. */
  public S setStepDispatcher(StepDispatcherOptions options) {
    return set(STEP_DISPATCHER, options);
  }

  /** How results of remote steps are received. */
  public StepDeliveryOptions getStepResults() {
    return get(STEP_RESULTS);
  }

  /** Sets how results of remote steps are taken. */
  public S setStepResults(StepDeliveryOptions options) {
    return set(STEP_RESULTS, options);
  }

  /** How deliveries of due runs are requested and slots reserved. */
  public DispatcherOptions getDispatcher() {
    return get(DISPATCHER);
  }

  /** Sets how deliveries of due runs are requested and slots reserved. */
  public S setDispatcher(DispatcherOptions options) {
    return set(DISPATCHER, options);
  }

  /** How wakeups in the outbox are published. */
  public OutboxPublisherOptions getOutboxPublisher() {
    return get(OUTBOX_PUBLISHER);
  }

  /** Sets how wakeups in the outbox are published. */
  public S setOutboxPublisher(OutboxPublisherOptions options) {
    return set(OUTBOX_PUBLISHER, options);
  }
}
