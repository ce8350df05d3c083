package dev.runlane.operator.depth;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Remote steps of a group that wait for its workers, or to be given to them.
 *
 * @param group the group
 * @param waiting those that workers were asked for, and those that are due to be asked for
 * @param oldestAt since when the one of them that waits longest does: when workers were asked for it last, or when that
 *     was due
 */
public record StepDepth(String group, long waiting, Instant oldestAt) {
  /** Refuses null and cuts instants to microseconds. */
  public StepDepth {
    Objects.requireNonNull(group);
    oldestAt = oldestAt.truncatedTo(ChronoUnit.MICROS);
  }
}
