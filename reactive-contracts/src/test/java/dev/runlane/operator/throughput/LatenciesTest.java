package dev.runlane.operator.throughput;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class LatenciesTest {
  @Test
  void a_time_is_counted_under_the_first_bound_that_it_does_not_exceed() {
    assertThat(Latencies.place(-5)).isZero();
    assertThat(Latencies.place(0)).isZero();
    assertThat(Latencies.place(1)).isZero();
    assertThat(Latencies.place(2)).isEqualTo(1);
    assertThat(Latencies.place(3)).isEqualTo(2);
    assertThat(Latencies.place(4)).isEqualTo(2);
    assertThat(Latencies.place(5)).isEqualTo(3);
    assertThat(Latencies.place(Latencies.LONGEST.toMillis())).isEqualTo(Latencies.BOUNDS - 1);
    assertThat(Latencies.place(Latencies.LONGEST.toMillis() + 1)).isEqualTo(Latencies.BOUNDS);
    assertThat(Latencies.place(Long.MAX_VALUE)).isEqualTo(Latencies.BOUNDS);
  }

  @Test
  void histograms_are_added_and_tell_a_bound_that_a_part_did_not_exceed() {
    Latencies all = Latencies.NONE;
    for (int index = 0; index < 19; index++) {
      all = all.plus(Latencies.of(Duration.ofMillis(3)));
    }
    all = all.plus(Latencies.of(Duration.ofDays(1)));

    assertThat(all.count()).isEqualTo(20);
    assertThat(all.sumMillis()).isEqualTo(19 * 3 + Duration.ofDays(1).toMillis());
    assertThat(all.quantile(0.5)).isEqualTo(Duration.ofMillis(4));
    assertThat(all.quantile(0.95)).isEqualTo(Duration.ofMillis(4));
    assertThat(all.quantile(0.96)).isEqualTo(Latencies.LONGEST);
    assertThat(Latencies.NONE.quantile(0.95)).isZero();
  }

  @Test
  void numbers_of_another_release_are_read_as_far_as_they_go() {
    ThroughputBucket few = ThroughputBucket.of(Instant.EPOCH, "queue", "task", List.of(1L, 2L, 3L));

    assertThat(few.triggered()).isEqualTo(1);
    assertThat(few.succeeded()).isEqualTo(3);
    assertThat(few.failed()).isZero();
    assertThat(few.run()).isEqualTo(Latencies.NONE);
    assertThat(few.numbers()).hasSize(ThroughputBucket.NUMBERS);
  }
}
