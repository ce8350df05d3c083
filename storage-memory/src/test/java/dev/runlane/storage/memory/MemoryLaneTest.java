package dev.runlane.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.lane.Lane;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class MemoryLaneTest {
  @Test
  void the_local_lane_is_for_operators_to_read_and_not_for_production() {
    Lane lane = MemoryLane.create();

    assertThat(lane.name()).isEqualTo("local");
    assertThat(lane.capabilities().operatorReads()).isTrue();
    assertThat(lane.capabilities().productionDurable()).isFalse();
    assertThat(lane.capabilities().storage()).isEqualTo(MemoryStorage.CAPABILITIES);
    assertThat(lane.capabilities().transport()).isEqualTo(Set.of());
  }

  @Test
  void every_lane_is_a_fresh_one() {
    assertThat(MemoryLane.create("one").storage())
        .isNotSameAs(MemoryLane.create("one").storage());
  }

  @Test
  void a_name_must_not_be_empty() {
    assertThatThrownBy(() -> MemoryLane.create(" "))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }
}
