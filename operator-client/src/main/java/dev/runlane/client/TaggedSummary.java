package dev.runlane.client;

import dev.runlane.storage.read.RunSummary;
import java.util.Map;

/**
 * A run of a list.
 *
 * @param run the run
 * @param tags its tags; empty where it has none
 */
public record TaggedSummary(RunSummary run, Map<String, String> tags) {
  /** Copies the tags. */
  public TaggedSummary {
    tags = Map.copyOf(tags);
  }
}
