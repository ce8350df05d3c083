package dev.runlane.runtime;

import dev.runlane.run.RunRecord;

/**
 * What a trigger answers.
 *
 * @param run the new run, or the one that owns its key
 * @param outcome which of the two
 */
public record TriggerResult(RunRecord run, TriggerOutcome outcome) {
  static TriggerResult of(CreatedRun created) {
    return new TriggerResult(created.run(), created.outcome());
  }
}
