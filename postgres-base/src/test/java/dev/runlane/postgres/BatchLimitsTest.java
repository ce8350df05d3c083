package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What a call of many commands has sent at a time. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class BatchLimitsTest {
  private static final long MEBIBYTE = 1 << 20;

  private static BatchLimits limits(int maxPending, long maxPendingBytes) {
    return new BatchLimits(256, maxPending, maxPendingBytes, () -> Duration.ofSeconds(1));
  }

  private static List<List<Long>> parts(BatchLimits limits, Long... bytes) {
    return limits.parts(List.of(bytes), each -> each);
  }

  @Test
  void a_part_holds_as_much_as_may_wait_and_one_command_may_hold_more() {
    assertThat(parts(limits(100, 10), 4L, 6L, 1L, 30L, 30L, 0L, 10L))
        .containsExactly(
            List.of(4L, 6L), List.of(1L), List.of(30L), List.of(30L), List.of(0L, 10L));
  }

  @Test
  void a_part_has_as_many_commands_as_may_wait() {
    assertThat(parts(limits(2, 10), 0L, 0L, 0L)).containsExactly(List.of(0L, 0L), List.of(0L));
  }

  @Test
  void a_part_fits_into_one_statement() {
    List<Long> commands = Collections.nCopies(33, MEBIBYTE);

    assertThat(limits(1_000, 1_000 * MEBIBYTE).parts(commands, each -> each))
        .extracting(List::size)
        .containsExactly(16, 16, 1);
    assertThat(BatchLimits.statements(commands, each -> each))
        .extracting(List::size)
        .containsExactly(16, 16, 1);
  }

  @Test
  void no_commands_are_one_part_without_any() {
    assertThat(parts(limits(2, 10))).containsExactly(List.of());
  }
}
