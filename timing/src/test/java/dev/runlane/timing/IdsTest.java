package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class IdsTest {
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
  private static final Randomness ALL_ONES = new FixedBits(-1);

  private final ManualClock clock = ManualClock.at(NOON);
  private final Ids ids = new Ids(clock, Randomness.seeded(1));

  @Test
  void an_id_is_a_prefix_and_26_characters() {
    assertThat(ids.runId()).matches("run_[0-9a-hjkmnp-tv-z]{26}");
    assertThat(ids.outboxMessageId()).matches("msg_[0-9a-hjkmnp-tv-z]{26}");
    assertThat(ids.token()).matches("tok_[0-9a-hjkmnp-tv-z]{26}");
    assertThat(ids.workerId()).matches("wrk_[0-9a-hjkmnp-tv-z]{26}");
  }

  @Test
  void the_first_ten_characters_are_the_milliseconds() {
    Ids known = new Ids(ManualClock.at(Instant.ofEpochMilli(1_469_918_176_385L)), new FixedBits(0));

    assertThat(known.runId()).isEqualTo("run_01aryz6s410000000000000000");
    assertThat(new Ids(ManualClock.at(Instant.EPOCH), ALL_ONES).runId())
        .isEqualTo("run_0000000000zzzzzzzzzzzzzzzz");
  }

  @Test
  void ids_of_one_millisecond_increase() {
    List<String> made = Stream.generate(ids::runId).limit(10_000).toList();

    assertThat(made).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void ids_increase_while_the_clock_jumps() {
    String before = ids.runId();
    clock.advance(Duration.ofHours(-1));
    String afterJumpBack = ids.runId();
    clock.advance(Duration.ofHours(2));
    String afterJumpAhead = ids.runId();

    assertThat(List.of(before, afterJumpBack, afterJumpAhead)).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void ids_increase_when_the_random_bits_of_a_millisecond_are_used_up() {
    Ids full = new Ids(clock, ALL_ONES);
    List<String> made = Stream.generate(full::runId).limit(3).toList();
    clock.advance(Duration.ofMillis(2));

    assertThat(made).isSorted().doesNotHaveDuplicates();
    assertThat(full.runId()).isGreaterThan(made.get(2));
  }

  @Test
  void instants_outside_48_bits_of_milliseconds_make_ids_too() {
    clock.set(Instant.parse("1900-01-01T00:00:00Z"));
    assertThat(ids.runId()).startsWith("run_0000000000");

    clock.set(Instant.parse("+20000-01-01T00:00:00Z"));
    assertThat(ids.runId()).startsWith("run_7zzzzzzzzz").hasSize(30);
  }

  @Test
  void competing_threads_never_make_the_same_id() {
    Set<String> made = IntStream.range(0, 100_000)
        .parallel()
        .mapToObj(i -> ids.token())
        .collect(Collectors.toSet());

    assertThat(made).hasSize(100_000);
  }

  @Test
  void two_processes_make_different_ids_in_the_same_millisecond() {
    assertThat(new Ids(clock, Randomness.system()).runId())
        .isNotEqualTo(new Ids(clock, Randomness.system()).runId());
  }

  @Test
  void ids_of_schedules_depend_on_their_parts_alone() {
    assertThat(Ids.scheduleRunId("prod", "nightly", "2026-03-01T00:00:00Z"))
        .isEqualTo(Ids.scheduleRunId("prod", "nightly", "2026-03-01T00:00:00Z"))
        .matches("run_[0-9a-f]{64}");
    assertThat(Ids.occurrenceId("prod", "a:b")).matches("[0-9a-f]{64}");
    assertThat(Stream.of(
            Ids.occurrenceId("ab", "c"),
            Ids.occurrenceId("a", "bc"),
            Ids.occurrenceId("abc"),
            Ids.occurrenceId("abc", ""),
            Ids.occurrenceId("", "abc"),
            Ids.occurrenceId("c", "ab"),
            Ids.occurrenceId("?"),
            Ids.occurrenceId("\ud800"),
            Ids.scheduleRunId("abc").substring(4)))
        .doesNotHaveDuplicates();
  }

  @Test
  void ids_of_schedules_stay_the_same_in_every_release() {
    assertThat(Ids.scheduleRunId("prod", "nightly", "2026-03-01T00:00:00Z"))
        .isEqualTo("run_962e48b42984ef7ea4ce470fae207d0be7f4b69272e9fe2be709794a743463dd");
    assertThat(Ids.occurrenceId("prod", "nightly", "2026-03-01T00:00:00Z"))
        .isEqualTo("66cf88237baace4a4e105c97d8ff12f5b8af6cb9ec293903be0c3bf5c4d1be2d");
  }

  /** Of two releases that recover the same run, the second finds what the first has made. */
  @Test
  void the_id_of_a_recovery_stays_the_same_in_every_release() {
    assertThat(Ids.retryRunId("run_01aryz6s410000000000000000"))
        .isEqualTo("run_6b1ffdf4bee5c9aebeabb2a9f09391c4fa76db9cbc3eb17e68f8ffb76feeaef9");
  }

  @Test
  void an_id_of_nothing_is_refused() {
    assertThatThrownBy(Ids::occurrenceId)
        .isInstanceOfSatisfying(RunlaneException.class, e -> assertThat(e.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
  }

  private record FixedBits(long bits) implements Randomness {
    @Override
    public long nextLong() {
      return bits;
    }

    @Override
    public double nextDouble() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int nextInt(int bound) {
      throw new UnsupportedOperationException();
    }
  }
}
