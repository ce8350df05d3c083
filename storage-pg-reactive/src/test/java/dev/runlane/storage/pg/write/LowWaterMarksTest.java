package dev.runlane.storage.pg.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Given;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.timing.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** How far claims got, and for how long that is believed. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LowWaterMarksTest {
  private static final int ENOUGH = 32;

  private final ManualClock clock = ManualClock.at(Given.NOON);
  private final LowWaterMarks marks = new LowWaterMarks(clock);
  private final List<ClaimedRuns.Claimed> claimed =
      IntStream.range(0, ENOUGH).mapToObj(LowWaterMarksTest::claimed).toList();
  private final Claims.Line line =
      new Claims.Line(claimed.get(0).before().queue(), claimed.get(0).before().taskId());

  @Test
  void a_full_claim_is_remembered_for_a_second_and_not_longer_by_further_ones() {
    marks.move(List.of(line), claimed, true);
    clock.advance(Duration.ofMillis(900));
    marks.move(List.of(line), claimed, true);

    clock.advance(Duration.ofMillis(100));
    assertThat(marks.of(line)).isEqualTo(claimed.get(ENOUGH - 1).before().updatedAt());
    clock.advance(Duration.ofMillis(1));

    assertThat(marks.of(line)).isEqualTo(LowWaterMarks.BEGINNING);
  }

  @Test
  void a_claim_that_is_short_or_small_is_not_remembered_and_forgets() {
    for (boolean isFull : List.of(false, true)) {
      marks.move(List.of(line), claimed, true);

      marks.move(List.of(line), isFull ? claimed.subList(0, ENOUGH - 1) : claimed, isFull);

      assertThat(marks.of(line)).isEqualTo(LowWaterMarks.BEGINNING);
    }
  }

  private static ClaimedRuns.Claimed claimed(int number) {
    RunRecord run =
        TestRuns.queued("run_" + number).at(Given.seconds(number)).creation().projectedRun();
    return new ClaimedRuns.Claimed(run, run, List.of());
  }
}
