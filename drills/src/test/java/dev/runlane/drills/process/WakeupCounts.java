package dev.runlane.drills.process;

import dev.runlane.transport.IgnoredReason;
import dev.runlane.transport.kafka.KafkaDeliveryCounts;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a worker's consumer has done with wakeups since it started, as its process tells it.
 *
 * @param received records that were fetched
 * @param executed wakeups that an attempt was made of
 * @param deadLettered records that were moved to a dead-letter topic
 * @param failed deliveries that failed
 * @param ignored wakeups that needed no work
 */
public record WakeupCounts(
    long received,
    long executed,
    long deadLettered,
    long failed,
    Map<IgnoredReason, Long> ignored) {
  public static final WakeupCounts NONE = new WakeupCounts(0, 0, 0, 0, Map.of());

  /** How a line with counts begins. */
  static final String WORD = "counts ";

  public WakeupCounts {
    ignored = Map.copyOf(ignored);
  }

  public static WakeupCounts of(KafkaDeliveryCounts counts) {
    return new WakeupCounts(
        counts.received(),
        counts.executed(),
        counts.deadLettered(),
        counts.failed(),
        counts.ignored());
  }

  /** The line of a program that tells them. */
  public String toLine(long atMillis) {
    JsonObject reasons = new JsonObject();
    ignored.forEach((reason, count) -> reasons.put(reason.name(), count));
    return WORD
        + new JsonObject()
            .put("at", atMillis)
            .put("received", received)
            .put("executed", executed)
            .put("deadLettered", deadLettered)
            .put("failed", failed)
            .put("ignored", reasons)
            .encode();
  }

  /** All that a process has told. */
  public static List<Told> toldBy(JavaProcess process) {
    List<Told> told = new ArrayList<>();
    for (String line : process.output().told()) {
      if (line.startsWith(WORD)) {
        told.add(Told.read(new JsonObject(line.substring(WORD.length()))));
      }
    }
    return told;
  }

  /** The last counts of all these processes together. */
  public static WakeupCounts sum(Collection<JavaProcess> processes) {
    return processes.stream()
        .map(WakeupCounts::toldBy)
        .filter(told -> !told.isEmpty())
        .map(told -> told.get(told.size() - 1).counts())
        .reduce(NONE, WakeupCounts::plus);
  }

  public long ignoredFor(IgnoredReason reason) {
    return ignored.getOrDefault(reason, 0L);
  }

  /** Records that were dealt with, in whatever way. */
  public long settled() {
    return executed
        + deadLettered
        + ignored.values().stream().mapToLong(Long::longValue).sum();
  }

  private WakeupCounts plus(WakeupCounts other) {
    Map<IgnoredReason, Long> reasons = new EnumMap<>(IgnoredReason.class);
    for (IgnoredReason reason : IgnoredReason.values()) {
      reasons.put(reason, ignoredFor(reason) + other.ignoredFor(reason));
    }
    return new WakeupCounts(
        received + other.received,
        executed + other.executed,
        deadLettered + other.deadLettered,
        failed + other.failed,
        reasons);
  }

  /** Counts, and when the process had them. */
  public record Told(Instant at, WakeupCounts counts) {
    private static Told read(JsonObject line) {
      Map<IgnoredReason, Long> reasons = new EnumMap<>(IgnoredReason.class);
      JsonObject ignored = line.getJsonObject("ignored");
      for (String name : ignored.fieldNames()) {
        reasons.put(IgnoredReason.valueOf(name), ignored.getLong(name));
      }
      return new Told(
          Instant.ofEpochMilli(line.getLong("at")),
          new WakeupCounts(
              line.getLong("received"),
              line.getLong("executed"),
              line.getLong("deadLettered"),
              line.getLong("failed"),
              reasons));
    }
  }
}
