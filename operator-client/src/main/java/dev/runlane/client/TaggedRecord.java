package dev.runlane.client;

import dev.runlane.run.RunRecord;
import java.util.Map;

/**
 * A run.
 *
 * @param run the run; the token of its lease, which the API tells nobody, is {@code hidden}
 * @param tags its tags; empty where it has none
 */
public record TaggedRecord(RunRecord run, Map<String, String> tags) {
  /** Copies the tags. */
  public TaggedRecord {
    tags = Map.copyOf(tags);
  }
}
