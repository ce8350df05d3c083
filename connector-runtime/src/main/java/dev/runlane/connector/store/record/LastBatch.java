package dev.runlane.connector.store.record;

import java.util.Objects;

/**
 * The last batch of a stream that a run was answered as stored.
 *
 * @param stream the stream
 * @param number its number, as {@link IngestBatch} has it
 */
public record LastBatch(String stream, long number) {
  /** Refuses null. */
  public LastBatch {
    Objects.requireNonNull(stream);
  }
}
