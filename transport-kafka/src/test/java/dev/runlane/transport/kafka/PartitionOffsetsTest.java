package dev.runlane.transport.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PartitionOffsetsTest {
  private final PartitionOffsets offsets = new PartitionOffsets();

  @Test
  void nothing_is_committable_until_the_oldest_record_is_settled() {
    offsets.take(4);
    PartitionOffsets.Taken second = offsets.take(5);

    offsets.settle(second);

    assertThat(offsets.committable()).isEqualTo(PartitionOffsets.NOTHING);
    assertThat(offsets.uncommitted()).isEqualTo(2);
  }

  @Test
  void numbers_that_kafka_left_out_hold_nothing_up() {
    PartitionOffsets.Taken first = offsets.take(4);
    PartitionOffsets.Taken second = offsets.take(9);

    offsets.settle(first);
    assertThat(offsets.committable()).isEqualTo(5);
    offsets.settle(second);

    assertThat(offsets.committable()).isEqualTo(10);
    assertThat(offsets.uncommitted()).isZero();
  }

  @Test
  void settling_a_record_again_changes_nothing() {
    PartitionOffsets.Taken first = offsets.take(0);
    offsets.settle(first);
    offsets.take(1);

    offsets.settle(first);

    assertThat(offsets.committable()).isEqualTo(1);
  }

  @Test
  void offsets_only_grow() {
    offsets.settle(offsets.take(4));
    assertThatThrownBy(() -> offsets.take(3)).isInstanceOf(IllegalArgumentException.class);
    offsets.take(6);
    assertThatThrownBy(() -> offsets.take(6)).isInstanceOf(IllegalArgumentException.class);
  }

  /** Against the definition: one past the settled records before the first that is not settled. */
  @Property
  void the_committable_offset_is_always_that_of_the_definition(
      @ForAll @IntRange(min = 1, max = 60) int records, @ForAll long seed) {
    Random random = new Random(seed);
    PartitionOffsets tracked = new PartitionOffsets();
    Map<Long, PartitionOffsets.Taken> open = new LinkedHashMap<>();
    TreeMap<Long, Boolean> model = new TreeMap<>();
    long next = random.nextInt(3);
    long before = PartitionOffsets.NOTHING;
    int taken = 0;
    while (taken < records || !open.isEmpty()) {
      if (taken < records && (open.isEmpty() || random.nextBoolean())) {
        open.put(next, tracked.take(next));
        model.put(next, false);
        next += 1 + random.nextInt(3);
        taken++;
      } else {
        List<Long> candidates = new ArrayList<>(open.keySet());
        long chosen = candidates.get(random.nextInt(candidates.size()));
        tracked.settle(open.remove(chosen));
        model.put(chosen, true);
      }
      assertThat(tracked.committable()).isEqualTo(committable(model));
      assertThat(tracked.committable()).isGreaterThanOrEqualTo(before);
      before = tracked.committable();
    }
    assertThat(tracked.uncommitted()).isZero();
  }

  private static long committable(TreeMap<Long, Boolean> model) {
    long committable = PartitionOffsets.NOTHING;
    for (Map.Entry<Long, Boolean> record : model.entrySet()) {
      if (!record.getValue()) {
        break;
      }
      committable = record.getKey() + 1;
    }
    return committable;
  }
}
