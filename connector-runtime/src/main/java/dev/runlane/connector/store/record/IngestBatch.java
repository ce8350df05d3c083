package dev.runlane.connector.store.record;

import dev.runlane.connector.protocol.manifest.ManifestStream;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunFence;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Records of one stream of a run, in the order they came. A run has one batch of a stream under way at a time.
 *
 * @param fence what the run writes with
 * @param connector whose records these are
 * @param stream the stream
 * @param semantics what a known key means
 * @param number counts the stream's batches in this run from 1; a batch that is sent again keeps its number, and the
 *     next is sent once this one was answered as stored
 * @param records 1 to {@value #MOST_RECORDS}, all of this stream
 * @param now the caller's time
 */
public record IngestBatch(
    RunFence fence,
    ConnectorRef connector,
    String stream,
    ManifestStream.Semantics semantics,
    long number,
    List<RecordMessage> records,
    Instant now) {
  /** Records in one batch where nobody says otherwise = {@value}. */
  public static final int DEFAULT_RECORDS = 500;

  /** Records in one batch at most = {@value}. */
  public static final int MOST_RECORDS = 10_000;

  /** Copies the records; refuses null. */
  public IngestBatch {
    Objects.requireNonNull(fence);
    Objects.requireNonNull(connector);
    Objects.requireNonNull(stream);
    Objects.requireNonNull(semantics);
    Objects.requireNonNull(now);
    records = List.copyOf(records);
  }
}
