package dev.runlane.runtime;

import dev.runlane.steps.StepDeliveryOptions;
import dev.runlane.steps.StepResultDelivery;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

/**
 * While it is deployed, takes the results of remote steps and brings their runs forward. Several instances share
 * the results. Results of runs that this runtime's storage does not know are left to whoever does.
 */
public final class StepResultVerticle extends VerticleBase {
  private final RuntimeContext runtime;
  private final RemoteSteps steps;
  private final StepDeliveryOptions options;
  private @Nullable StepResultDelivery delivery;

  /** A verticle for one deployment, with the default options. */
  public StepResultVerticle(Runlane runlane) {
    this(runlane, new StepDeliveryOptions());
  }

  /**
   * A verticle for one deployment; the options are copied.
   * Throws {@code CapabilityUnsupported} when the runtime was built without a step transport.
   */
  public StepResultVerticle(Runlane runlane, StepDeliveryOptions options) {
    runtime = runlane.context();
    steps = StepDispatcher.require(runtime, "a consumer of step results");
    this.options = new StepDeliveryOptions(options);
  }

  @Override
  public Future<?> start() {
    delivery = new StepResultDelivery(
        steps.transport(),
        new StepResultConsumer(runtime, steps),
        runtime.ids().workerId(),
        options,
        runtime.clock(),
        runtime.timers());
    delivery.start();
    return Future.succeededFuture();
  }

  /** Takes nothing any more and waits for the results in hand, at most for the lease. */
  @Override
  public Future<?> stop() {
    return delivery == null ? Future.succeededFuture() : delivery.stop();
  }
}
