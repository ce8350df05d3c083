package dev.runlane.drills.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TopicRulesTest {
  private final List<TopicState.Partition> partitions = new ArrayList<>(
      List.of(partition(0, 7, 7, "a"), partition(1, 0, 0, "b"), partition(2, 5, 5, "b")));
  private final Map<String, Long> deadLetters = new HashMap<>(Map.of("one", 0L, "two", 2L));

  @Test
  void a_group_that_keeps_every_promise_is_left_alone() {
    assertThat(broken()).isEmpty();
  }

  @Test
  void a_record_that_is_not_committed_is_found() {
    partitions.set(0, partition(0, 8, 7, "a"));

    assertThat(broken()).containsExactly(Rule.LAG);
  }

  @Test
  void a_partition_without_any_commit_is_found() {
    partitions.set(0, partition(0, 7, 0, "a"));

    assertThat(broken()).containsExactly(Rule.LAG);
  }

  @Test
  void a_commit_past_the_end_is_found_although_it_makes_up_for_a_lag() {
    partitions.set(0, partition(0, 7, 8, "a"));
    partitions.set(2, partition(2, 5, 4, "b"));

    assertThat(new TopicState(partitions, deadLetters).lag()).isZero();
    assertThat(broken()).containsExactly(Rule.LAG, Rule.LAG);
  }

  @Test
  void a_partition_that_nobody_has_is_found() {
    partitions.set(2, partition(2, 5, 5, null));

    assertThat(broken()).containsExactly(Rule.OWNER);
  }

  @Test
  void a_partition_of_a_member_that_is_gone_is_found() {
    partitions.set(2, partition(2, 5, 5, "killed"));

    assertThat(broken()).containsExactly(Rule.OWNER);
  }

  @Test
  void a_member_without_a_partition_is_found() {
    partitions.set(0, partition(0, 7, 7, "b"));

    assertThat(broken()).containsExactly(Rule.OWNER);
  }

  @Test
  void a_dead_letter_that_was_not_meant_is_found() {
    deadLetters.put("one", 1L);

    assertThat(broken()).containsExactly(Rule.DEAD_LETTERS);
  }

  @Test
  void a_dead_letter_that_is_missing_is_found() {
    deadLetters.put("two", 1L);

    assertThat(broken()).containsExactly(Rule.DEAD_LETTERS);
  }

  private List<Rule> broken() {
    TopicState state = new TopicState(partitions, deadLetters);
    return new TopicRules(Set.of("a", "b"), 2)
        .violations(state).stream().map(Violation::rule).toList();
  }

  private static TopicState.Partition partition(
      int number, long end, long committed, @Nullable String owner) {
    return new TopicState.Partition("topic", number, end, committed, owner);
  }
}
