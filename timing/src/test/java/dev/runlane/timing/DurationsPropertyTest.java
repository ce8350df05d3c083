package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class DurationsPropertyTest {
  @Property
  void what_is_written_is_read_back(@ForAll @LongRange(min = 0) long millis) {
    Duration duration = Duration.ofMillis(millis);

    assertThat(Durations.parse(Durations.format(duration))).isEqualTo(duration);
  }
}
