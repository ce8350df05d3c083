package dev.runlane.drills.history;

import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Holds a group of consumers to its promises: no partition is stuck, none of its members is idle, every
 * record is settled, and only what cannot be dealt with is a dead letter.
 */
public final class TopicRules {
  private final Set<String> members;
  private final long deadLetters;

  /**
   * Rules for a group.
   *
   * @param members the clients that live
   * @param deadLetters how many records were meant to be moved
   */
  public TopicRules(Set<String> members, long deadLetters) {
    this.members = Set.copyOf(members);
    this.deadLetters = deadLetters;
  }

  /** Every promise that is broken. */
  public List<Violation> violations(TopicState state) {
    List<Violation> found = new ArrayList<>();
    Set<String> idle = new TreeSet<>(members);
    for (TopicState.Partition partition : state.partitions()) {
      String name = partition.topic() + "-" + partition.number();
      if (partition.committed() != partition.end()) {
        found.add(new Violation(
            Rule.LAG, name, "committed up to " + partition.committed() + " of " + partition.end()));
      }
      if (partition.owner() == null || !members.contains(partition.owner())) {
        found.add(new Violation(
            Rule.OWNER, name, "it belongs to " + partition.owner() + ", not to one of " + members));
      } else {
        idle.remove(partition.owner());
      }
    }
    idle.forEach(member -> found.add(new Violation(Rule.OWNER, member, "it has no partition")));
    long moved =
        state.deadLetters().values().stream().mapToLong(Long::longValue).sum();
    if (moved != deadLetters) {
      Map<String, Long> all = state.deadLetters();
      found.add(new Violation(
          Rule.DEAD_LETTERS, "the dead-letter topics", deadLetters + " are right, not " + all));
    }
    return found;
  }
}
