package dev.runlane.conformance.storage.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.storage.StorageClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Processes compare their clocks with one that goes on. */
@DisplayName("showing the storage's clock")
public abstract class StorageClockConformance extends StorageConformance {
  private static final int MOST_READS = 200_000;

  private StorageClock clock;

  /** Takes the clock of the adapter under test. */
  @BeforeEach
  final void openClock() {
    clock =
        storage.clock().orElseThrow(() -> new AssertionError("the storage does not show a clock"));
  }

  @Test
  @Rule("clock")
  void it_is_read_anew_each_time() {
    Instant first = Outcomes.done(clock.now());

    Instant later = first;
    for (int reads = 0; reads < MOST_READS && later.equals(first); reads++) {
      later = Outcomes.done(clock.now());
    }

    assertThat(later).isAfter(first);
  }

  @Test
  @Rule("clock")
  void it_does_not_go_back_while_nobody_sets_it() {
    List<Instant> read = new ArrayList<>();
    for (int reads = 0; reads < 20; reads++) {
      read.add(Outcomes.done(clock.now()));
    }

    assertThat(read).isSorted();
  }

  @Test
  @Rule("clock")
  void looking_at_it_changes_nothing() {
    StoredState before = stored();

    Outcomes.done(clock.now());

    assertNothingStored(before);
  }
}
