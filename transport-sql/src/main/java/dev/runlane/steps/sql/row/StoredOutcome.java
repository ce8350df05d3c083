package dev.runlane.steps.sql.row;

import dev.runlane.json.EscapedSurrogates;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import org.jspecify.annotations.Nullable;

/**
 * An outcome as the columns of a result hold it.
 *
 * @param status {@code completed} or {@code failed}
 * @param output JSON, or null for no value and for failures
 * @param error JSON, or null when completed
 */
public record StoredOutcome(
    String status, @Nullable String output, @Nullable String error) {
  public static StoredOutcome of(StepOutcome outcome) {
    if (outcome instanceof StepOutcome.Failed failed) {
      return new StoredOutcome(StepRows.FAILED, null, StepJson.error(failed.error()));
    }
    StepOutcome.Completed completed = (StepOutcome.Completed) outcome;
    String output = completed.output() == null
        ? null
        : EscapedSurrogates.in(completed.output().text());
    return new StoredOutcome(StepRows.COMPLETED, output, null);
  }

  /** Characters to be sent, roughly. */
  public static int size(StepOutcome outcome) {
    if (outcome instanceof StepOutcome.Failed failed) {
      StepError error = failed.error();
      return error.message().length() + length(error.code()) + length(error.stack());
    }
    StepOutcome.Completed completed = (StepOutcome.Completed) outcome;
    return completed.output() == null ? 0 : completed.output().text().length();
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
