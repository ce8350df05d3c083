package dev.runlane.runtime.remote;

import dev.runlane.runtime.process.RemoteSteps;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import dev.runlane.steps.delivery.StepPoller;
import dev.runlane.steps.delivery.StepResultDelivery;
import dev.runlane.steps.delivery.StepResultReceiver;
import dev.runlane.steps.delivery.StepVerdict;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.timing.FutureLoop;
import io.vertx.core.Future;
import java.util.Set;

/** Receives the results of remote steps that are available, once. Called on one context, one pass at a time. */
public final class StepResultSweep {
  private final RuntimeContext context;
  private final RemoteSteps steps;
  private final StepDeliveryOptions options;

  /** Takes results without a role of its own, as a tick does. */
  public StepResultSweep(RuntimeContext context, RemoteSteps steps, StepDeliveryOptions options) {
    this.context = context;
    this.steps = steps;
    this.options = options;
  }

  /**
   * Completes when all that were taken are dealt with, at the latest after their lease. A result that cannot be
   * dealt with is logged and comes again; only a failure to look for results fails the pass.
   */
  public Future<PhaseCount> run() {
    Counting receiver = new Counting(new StepResultConsumer(context, steps));
    StepResultDelivery delivery = new StepResultDelivery(
        steps.transport(),
        receiver,
        context.ids().workerId(),
        options,
        context.clock(),
        context.timers());
    return sweep(delivery, receiver).eventually(delivery::stop).map(looked -> receiver.count());
  }

  /** Page by page, past results of others, until as many were taken as may be with the engine at once. */
  private Future<Void> sweep(StepResultDelivery delivery, Counting receiver) {
    return FutureLoop.whileTrue(() -> delivery
        .poll()
        .map(found -> found == StepPoller.PollResult.MORE && !receiver.count().moreWaiting()));
  }

  private final class Counting implements StepResultReceiver {
    private final StepResultReceiver receiver;
    private int received;

    Counting(StepResultReceiver receiver) {
      this.receiver = receiver;
    }

    @Override
    public Future<Set<String>> knownRuns(Set<String> runIds) {
      return receiver.knownRuns(runIds);
    }

    @Override
    public Future<StepVerdict> receive(ClaimedStepResult result) {
      received++;
      return receiver.receive(result);
    }

    PhaseCount count() {
      return PhaseCount.of(received, options.getMostInFlight(), received);
    }
  }
}
