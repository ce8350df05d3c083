package dev.runlane.steps.sql.worker;

import dev.runlane.steps.task.StepClaim;
import java.time.Instant;

/** A task that a worker leases. Touched on the worker's context. */
final class HeldTask {
  final StepClaim claim;
  final StepCall call;
  Instant leasedAt; // when the lease was last seen to be ours
  boolean recording; // its result is on the way: that answer decides, not the renewal's
  boolean lost;

  HeldTask(StepClaim claim, StepCall call, Instant leasedAt) {
    this.claim = claim;
    this.call = call;
    this.leasedAt = leasedAt;
  }
}
