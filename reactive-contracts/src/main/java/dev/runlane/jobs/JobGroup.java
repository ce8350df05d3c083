package dev.runlane.jobs;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The group of a job: groups are served in turn.
 *
 * @param id the group's id
 * @param maxSize most jobs of the group that may be waiting, this one included, 1 or more, or null
 */
public record JobGroup(String id, @Nullable Integer maxSize) {
  /** Refuses a null id. */
  public JobGroup {
    Objects.requireNonNull(id);
  }

  /** A group without a limit. */
  public static JobGroup of(String id) {
    return new JobGroup(id, null);
  }
}
