package dev.runlane.runtime.remote;

import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.RemoteSteps;
import dev.runlane.runtime.process.RoleRuntime;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import dev.runlane.steps.delivery.StepResultDelivery;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * While it is deployed, receives the results of remote steps and resumes their runs. Several instances share
 * the results. Results of runs that this runtime's storage does not know are left to whoever does.
 */
public final class StepResultVerticle extends VerticleBase {
  private final RuntimeContext runtime;
  private final RemoteSteps steps;
  private final StepDeliveryOptions options;
  private @Nullable StepResultDelivery delivery;
  private LocalNotifications.@Nullable Registration dispatches;

  /** A verticle for one deployment, with the default options. */
  public StepResultVerticle(RoleRuntime runlane) {
    this(runlane, new StepDeliveryOptions());
  }

  /**
   * A verticle for one deployment; the options are copied.
   * Throws {@code CapabilityUnsupported} when the runtime was built without a step transport.
   */
  public StepResultVerticle(RoleRuntime runlane, StepDeliveryOptions options) {
    runtime = runlane.context();
    steps = StepDispatcher.require(runtime, "a consumer of step results");
    this.options = new StepDeliveryOptions(options);
  }

  @Override
  public Future<?> start() {
    StepResultDelivery made = new StepResultDelivery(
        steps.transport(),
        new StepResultConsumer(runtime, steps),
        runtime.ids().workerId(),
        options,
        runtime.clock(),
        runtime.timers());
    made.start();
    delivery = made;
    dispatches =
        pollAfterDispatches(runtime, made, action -> context.runOnContext(turn -> action.run()));
    return Future.succeededFuture();
  }

  /** Workers that are asked by this process may answer soon. */
  public static LocalNotifications.Registration pollAfterDispatches(
      RuntimeContext runtime, StepResultDelivery delivery, Executor executor) {
    return runtime.notifications().onStepsDispatched(executor, steps -> delivery.pollSoon());
  }

  /**
   * Takes nothing any more and waits for the results in hand, at most for the lease, and not longer than the runtime's
   * close.
   */
  @Override
  public Future<?> stop() {
    if (dispatches != null) {
      dispatches.close();
    }
    return delivery == null
        ? Future.succeededFuture()
        : runtime.closeDeadline().orExpired(delivery.stop());
  }
}
