package dev.runlane.drills.history;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a broker has of a drill.
 *
 * @param partitions every partition of the wakeup topics
 * @param deadLetters the records of each dead-letter topic
 */
public record TopicState(List<Partition> partitions, Map<String, Long> deadLetters) {
  public TopicState {
    partitions = List.copyOf(partitions);
    deadLetters = Map.copyOf(deadLetters);
  }

  /** Records that the group has not committed. */
  public long lag() {
    return partitions.stream().mapToLong(each -> each.end() - each.committed()).sum();
  }

  /** Records that were ever published. */
  public long records() {
    return partitions.stream().mapToLong(Partition::end).sum();
  }

  /**
   * A partition of a wakeup topic.
   *
   * @param end the offset of the next record
   * @param committed where the group would continue
   * @param owner the client name of the member that has it; null when nobody has
   */
  public record Partition(
      String topic,
      int number,
      long end,
      long committed,
      @Nullable String owner) {}
}
