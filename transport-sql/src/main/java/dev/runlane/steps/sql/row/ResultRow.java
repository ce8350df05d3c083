package dev.runlane.steps.sql.row;

import dev.runlane.steps.result.RecordStepResults;
import java.util.Objects;

/** A result that is to be inserted. */
public record ResultRow(
    LockedRow task, StoredOutcome outcome, long startedAtMillis, long createdAtMillis) {

  public static ResultRow of(LockedRow task, StepTables.Stamped<RecordStepResults.Ended> ended) {
    return new ResultRow(
        task,
        StoredOutcome.of(ended.value().outcome()),
        ended.value().startedAt().toEpochMilli(),
        ended.nowMillis());
  }

  public String stepId() {
    return task.stepId();
  }

  /** Its only long part. */
  public String text() {
    return Objects.requireNonNullElse(
        outcome.output(), Objects.requireNonNullElse(outcome.error(), ""));
  }
}
