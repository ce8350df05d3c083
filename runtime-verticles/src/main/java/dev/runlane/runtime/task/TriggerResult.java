package dev.runlane.runtime.task;

import dev.runlane.run.RunRecord;

/**
 * The result of a trigger.
 *
 * @param run the new run, or the one that owns its key
 * @param outcome which of the two
 * @param samePayload whether the run has the payload that this call gave: always for a new run; for the owner of a
 *     key when the two are equal as JSON values. White space, the order of an object's fields and the ways to write a
 *     number (1, 1.0 and 10e-1) or a text make no difference.
 */
public record TriggerResult(RunRecord run, TriggerOutcome outcome, boolean samePayload) {
  /** What the storage answered. */
  public static TriggerResult of(CreatedRun created) {
    return new TriggerResult(created.run(), created.outcome(), created.samePayload());
  }
}
