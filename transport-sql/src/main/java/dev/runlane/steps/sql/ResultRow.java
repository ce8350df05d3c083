package dev.runlane.steps.sql;

import dev.runlane.steps.RecordStepResults;
import java.util.Objects;

/** A result that is to be inserted. */
record ResultRow(
    LockedRow task, StoredOutcome outcome, long startedAtMillis, long createdAtMillis) {

  static ResultRow of(LockedRow task, StepTables.Stamped<RecordStepResults.Ended> ended) {
    return new ResultRow(
        task,
        StoredOutcome.of(ended.value().outcome()),
        ended.value().startedAt().toEpochMilli(),
        ended.nowMillis());
  }

  String stepId() {
    return task.stepId();
  }

  /** Its only long part. */
  String text() {
    return Objects.requireNonNullElse(
        outcome.output(), Objects.requireNonNullElse(outcome.error(), ""));
  }
}
