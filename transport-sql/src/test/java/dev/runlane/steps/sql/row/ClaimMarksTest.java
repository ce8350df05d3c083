package dev.runlane.steps.sql.row;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ClaimMarksTest {
  private final ClaimMarks marks = new ClaimMarks();

  @Test
  void a_full_claim_is_gone_on_from_for_a_second() {
    marks.move(List.of("a", "b"), List.of(task("a", 40), task("a", 50)), true, 1_000);

    assertThat(marks.of(List.of("a", "b"), 1_999)).containsExactly(50L, ClaimMarks.BEGINNING);
    marks.move(List.of("a"), List.of(task("a", 60)), true, 1_500);
    assertThat(marks.of(List.of("a"), 1_999)).containsExactly(60L);
    assertThat(marks.of(List.of("a"), 2_000)).containsExactly(ClaimMarks.BEGINNING);
  }

  @Test
  void a_claim_that_was_not_full_begins_anew() {
    marks.move(List.of("a"), List.of(task("a", 50)), true, 1_000);
    marks.move(List.of("a"), List.of(task("a", 51)), false, 1_001);

    assertThat(marks.of(List.of("a"), 1_002)).containsExactly(ClaimMarks.BEGINNING);
  }

  @Test
  void a_clock_that_is_set_back_begins_anew() {
    marks.move(List.of("a"), List.of(task("a", 50)), true, 10_000);

    assertThat(marks.of(List.of("a"), 5_000)).containsExactly(ClaimMarks.BEGINNING);
  }

  private static ClaimedStepTask task(String group, long createdAt) {
    return new ClaimedStepTask(
        new StepClaim("run:0", "token"),
        StepTask.first("run", 0, "echo", null).in(group),
        null,
        Instant.ofEpochMilli(createdAt));
  }
}
