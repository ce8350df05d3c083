package dev.runlane.runtime;

import dev.runlane.runtime.maintenance.CancellationFinalizer;
import dev.runlane.runtime.maintenance.Dispatcher;
import dev.runlane.runtime.process.ClockMonitor;
import dev.runlane.runtime.process.Failures;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.publish.OutboxPublisher;
import dev.runlane.runtime.publish.PublishCount;
import dev.runlane.runtime.remote.StepDispatcher;
import dev.runlane.runtime.remote.StepResultSweep;
import dev.runlane.runtime.schedule.Scheduler;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.storage.StorageCapability;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One maintenance pass over everything: fires of schedules, cancellations, results of remote steps and pending ones,
 * delivery recovery, dispatch of bounded queues, the outbox. For processes that deploy no verticles and are called
 * now and then instead; any number of them, beside any number of verticles. A phase whose capability the storage
 * does not report has nothing to do. Called on one context.
 */
final class Tick {
  private final Supplier<Future<PhaseCount>> fires;
  private final Supplier<Future<PhaseCount>> cancellations;
  private final Supplier<Future<PhaseCount>> stepResults;
  private final Supplier<Future<PhaseCount>> pendingSteps;
  private final Supplier<Future<PhaseCount>> deliveries;
  private final Supplier<Future<PhaseCount>> reservations;
  private final Supplier<Future<PublishCount>> wakeups;
  private final RuntimeContext context;
  private Future<TickResult> latest = Future.succeededFuture();

  Tick(RuntimeContext context, TickOptions options) {
    this.context = context;
    Set<StorageCapability> reported = context.storage().capabilities();
    fires = reported.contains(StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES)
        ? new Scheduler(context, options.getScheduler())::sweep
        : Tick::nothing;
    cancellations = reported.contains(StorageCapability.LEASES_RUNS)
        ? new CancellationFinalizer(context, options.getCancellationFinalizer())::sweep
        : Tick::nothing;
    stepResults = context
        .remoteSteps()
        .<Supplier<Future<PhaseCount>>>map(
            steps -> new StepResultSweep(context, steps, options.getStepResults())::run)
        .orElse(Tick::nothing);
    pendingSteps = context.remoteSteps().isPresent()
        ? new StepDispatcher(context, options.getStepDispatcher())::sweep
        : Tick::nothing;
    if (reported.contains(StorageCapability.PERSISTS_OUTBOX)) {
      Dispatcher dispatcher = new Dispatcher(context, options.getDispatcher());
      deliveries = dispatcher::recoverDeliveries;
      reservations = dispatcher::reserveDispatches;
      wakeups = new OutboxPublisher(context, options.getOutboxPublisher())::sweep;
    } else {
      deliveries = Tick::nothing;
      reservations = Tick::nothing;
      wakeups = () -> Future.succeededFuture(PublishCount.NOTHING);
    }
  }

  /**
   * Every phase once, each bounded, one after the other, so that the last publishes what the others asked
   * for. Lost races are skipped. A phase that fails does not keep the later ones back, but fails the future
   * in the end: with a storage failure, or one of a publish that is not the transport's. A pass that is
   * asked for during another one follows it.
   */
  Future<TickResult> run() {
    latest = latest.transform(
        (result, failure) -> context.clockMonitor().requireAgreement().compose(agreed -> pass()));
    return latest;
  }

  private Future<TickResult> pass() {
    Pass pass = new Pass(context.clockMonitor());
    return pass.phase(fires)
        .compose(done -> pass.phase(cancellations))
        .compose(done -> pass.phase(stepResults))
        .compose(done -> pass.phase(pendingSteps))
        .compose(done -> pass.phase(deliveries))
        .compose(done -> pass.phase(reservations))
        .compose(done -> pass.last(wakeups));
  }

  private static Future<PhaseCount> nothing() {
    return Future.succeededFuture(PhaseCount.NOTHING);
  }

  /** What happened so far. Each phase looks at the clock, which may have jumped during the one before. */
  private static final class Pass {
    private final ClockMonitor clock;
    private final List<PhaseCount> done = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();

    Pass(ClockMonitor clock) {
      this.clock = clock;
    }

    /** Never fails. */
    Future<@Nullable Void> phase(Supplier<Future<PhaseCount>> phase) {
      return clock
          .requireAgreement()
          .compose(agreed -> phase.get())
          .otherwise(failure -> failed(failure, PhaseCount.NOTHING))
          .map(count -> {
            done.add(count);
            return null;
          });
    }

    Future<TickResult> last(Supplier<Future<PublishCount>> phase) {
      return clock
          .requireAgreement()
          .compose(agreed -> phase.get())
          .otherwise(failure -> failed(failure, PublishCount.NOTHING))
          .compose(published -> failures.isEmpty()
              ? Future.succeededFuture(result(published))
              : Future.failedFuture(Failures.first(failures)));
    }

    private <T> T failed(Throwable failure, T count) {
      failures.add(failure);
      return count;
    }

    private TickResult result(PublishCount published) {
      return new TickResult(
          done.get(0).done(),
          done.get(1).done(),
          done.get(2).done(),
          done.get(3).done(),
          done.get(4).done(),
          done.get(5).done(),
          published.published(),
          published.failed(),
          published.deadLettered(),
          published.moreWaiting() || done.stream().anyMatch(PhaseCount::moreWaiting));
    }
  }
}
