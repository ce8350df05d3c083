package dev.runlane.operator.tag;

import java.util.Map;
import java.util.Objects;

/**
 * The tags of a run.
 *
 * @param runId the run
 * @param tags values by names; not empty
 */
public record TaggedRun(String runId, Map<String, String> tags) {
  /** Copies the tags and refuses null. */
  public TaggedRun {
    Objects.requireNonNull(runId);
    tags = Map.copyOf(tags);
  }
}
