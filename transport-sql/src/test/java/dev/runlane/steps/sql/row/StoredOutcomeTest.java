package dev.runlane.steps.sql.row;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StoredOutcomeTest {
  @Test
  void all_that_is_stored_of_a_failure_counts() {
    StepError error = new StepError("x".repeat(10), "y".repeat(20), true, "z".repeat(40));

    assertThat(StoredOutcome.size(new StepOutcome.Failed(error))).isEqualTo(70);
    assertThat(StoredOutcome.size(new StepOutcome.Failed(StepError.of(null, "1234"))))
        .isEqualTo(4);
  }

  @Test
  void an_output_counts_and_none_does_not() {
    assertThat(StoredOutcome.size(new StepOutcome.Completed(Json.ofChecked("1234"))))
        .isEqualTo(4);
    assertThat(StoredOutcome.size(new StepOutcome.Completed(null))).isZero();
  }
}
