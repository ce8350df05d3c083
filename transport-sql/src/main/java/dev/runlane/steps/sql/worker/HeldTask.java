package dev.runlane.steps.sql.worker;

import dev.runlane.steps.task.StepClaim;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A task that a worker leases. Touched on the worker's context. */
final class HeldTask {
  final StepClaim claim;
  final StepCall call;
  Duration leasedAt; // when its claim or last renewal was sent, on the timers' own time
  boolean recording; // its result is on the way: that answer decides, not the renewal's
  boolean lost;

  @Nullable
  Duration refusedSince; // its result, on the timers' own time, for a reason nobody knows

  HeldTask(StepClaim claim, StepCall call, Duration leasedAt) {
    this.claim = claim;
    this.call = call;
    this.leasedAt = leasedAt;
  }
}
