package dev.runlane.runtime.maintenance;

import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.runtime.sweep.SweepAppends;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Optional;

/**
 * Writes the cancellation that a run's owner did not write: the run was asked to cancel and its lease has
 * ended. Nobody is woken; a slot of a bounded queue becomes free.
 */
public final class CancellationFinalizer implements SweepRole {
  private static final String REASON = "the worker did not answer before its lease ended";

  private final RuntimeContext context;
  private final CancellationFinalizerOptions options;
  private final SweepAppends appends;

  /** Throws {@code CapabilityUnsupported} when the storage leases no runs. */
  public CancellationFinalizer(RuntimeContext context, CancellationFinalizerOptions options) {
    this.context = context;
    this.options = options;
    Capabilities.require(
        context.storage().capabilities(),
        StorageCapability.LEASES_RUNS,
        "a cancellation finalizer");
    appends = new SweepAppends(context);
  }

  @Override
  public Future<Boolean> sweepOnce() {
    return sweep().map(PhaseCount::moreWaiting);
  }

  /** Cancels due runs. A run that cannot be does not keep the others back, but fails the future in the end. */
  public Future<PhaseCount> sweep() {
    Instant now = context.clock().now();
    int limit = options.getSweepLimit();
    return context
        .storage()
        .listRunsNeedingCancellationFinalization(
            new ListRunsNeedingCancellationFinalization(context.environment(), now, limit))
        .compose(found -> appends
            .withEach(
                found, runs -> appends.append(runs, run -> cancellation(run, now), this::cancelled))
            .map(done -> PhaseCount.of(found.size(), limit, done)));
  }

  private void cancelled(RunRecord run) {
    context.notifications().dispatchChanged(run.queue());
    context.observer().runEnded(run);
  }

  private Optional<RunEvent> cancellation(RunRecord run, Instant now) {
    return RunDueTimes.cancellationFinalizationAvailableAt(run)
        .filter(due -> !due.isAfter(now))
        .map(due -> new RunEvent.Cancelled(SweepAppends.header(run, now), REASON));
  }
}
