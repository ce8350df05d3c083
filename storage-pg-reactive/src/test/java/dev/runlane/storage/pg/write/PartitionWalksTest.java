package dev.runlane.storage.pg.write;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PartitionWalksTest {
  private static final String QUEUE = "bounded";

  private final PartitionWalks walks = new PartitionWalks();

  @Test
  void of_a_queue_that_is_not_known_many_partitions_are_looked_at() {
    assertThat(walks.next(QUEUE, 1, true)).isEqualTo(new PartitionWalks.Reach("", 256));
    assertThat(walks.next(QUEUE, 128, false)).isEqualTo(new PartitionWalks.Reach("", 256));
  }

  @Test
  void a_large_claim_looks_at_half_as_many_again_as_had_room_for_it() {
    walked(128, 256, 256, true);

    assertThat(walks.next(QUEUE, 100, false)).isEqualTo(new PartitionWalks.Reach("key_256", 150));
    assertThat(walks.next(QUEUE, 17, false).steps()).isEqualTo(32);
  }

  @Test
  void partitions_with_room_for_many_are_looked_at_a_few_at_a_time() {
    walked(128, 100, 900, true);

    assertThat(walks.next(QUEUE, 128, false)).isEqualTo(new PartitionWalks.Reach("", 32));
  }

  @Test
  void a_claim_in_the_order_of_due_times_looks_at_all_partitions_where_those_are_not_very_many() {
    walked(16, 200, 200, true);

    assertThat(walks.next(QUEUE, 16, true)).isEqualTo(new PartitionWalks.Reach("", 256));
  }

  @Test
  void a_claim_in_the_order_of_due_times_looks_at_a_hundred_where_there_are_very_many() {
    walked(16, 256, 256, true);

    assertThat(walks.next(QUEUE, 16, true)).isEqualTo(new PartitionWalks.Reach("key_256", 100));
  }

  @Test
  void a_claim_that_found_too_few_is_followed_by_one_that_looks_further() {
    walked(128, 256, 256, true);

    walked(50, 75, 60, false);

    assertThat(walks.next(QUEUE, 50, false).steps()).isEqualTo(150);
  }

  @Test
  void where_no_partition_has_room_as_many_as_may_be_are_looked_at() {
    walked(128, 256, 256, true);

    walked(20, 32, 0, false);

    assertThat(walks.next(QUEUE, 20, false).steps()).isEqualTo(256);
  }

  @Test
  void the_end_of_a_round_leads_back_to_the_first_partition() {
    walked(128, 256, 256, true);

    walked(128, 60, 60, false);

    assertThat(walks.next(QUEUE, 128, false).isBeginning()).isTrue();
  }

  @Test
  void a_queue_that_has_become_narrow_is_looked_at_whole_again() {
    walked(128, 256, 256, true);
    walked(16, 60, 60, true);

    walked(16, 60, 60, true);

    assertThat(walks.next(QUEUE, 16, true)).isEqualTo(new PartitionWalks.Reach("", 256));
  }

  @Test
  void a_round_has_found_something_when_any_of_its_walks_has() {
    walked(128, 256, 256, true);
    walked(128, 60, 0, false);
    assertThat(walks.hasFound(QUEUE)).isTrue();

    walked(128, 256, 0, false);
    assertThat(walks.hasFound(QUEUE)).as("of the last whole round").isTrue();
    walked(128, 60, 0, false);

    assertThat(walks.hasFound(QUEUE)).isFalse();
  }

  private void walked(int wanted, int partitions, int room, boolean enough) {
    PartitionWalks.Reach reach = walks.next(QUEUE, wanted, wanted < 17);
    walks.note(
        new Claims.Walk(QUEUE, reach, "key_" + partitions, partitions, 0, false, room, false),
        enough);
  }
}
