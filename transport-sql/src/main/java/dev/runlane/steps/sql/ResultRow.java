package dev.runlane.steps.sql;

import dev.runlane.steps.RecordStepResults;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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

  /** step_id, run_id, seq, status, output, error, started_at, created_at. */
  List<@Nullable Object> columns() {
    return Arrays.asList(
        task.stepId(),
        task.runId(),
        task.seq(),
        outcome.status(),
        outcome.output(),
        outcome.error(),
        startedAtMillis,
        createdAtMillis);
  }
}
