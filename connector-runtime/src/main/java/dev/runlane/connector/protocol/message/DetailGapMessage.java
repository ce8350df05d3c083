package dev.runlane.connector.protocol.message;

import dev.runlane.run.Json;
import org.jspecify.annotations.Nullable;

/**
 * DETAIL_GAP: a record whose details are missing for now.
 *
 * @param stream the stream in scope that misses them
 * @param parentStream the stream whose record names them, or null
 * @param recordKey the key of that record as text, or null
 * @param reason the connector's reason, or null
 * @param retryable whether a later run may find them; null when it does not say
 * @param detailLocator where they would be: an object, or null
 * @param listCursor where the listing stood: an object, or null
 * @param lastError what the source answered: an object, or null; not redacted
 * @param gapId the id of an earlier gap this one repeats, or null
 */
public record DetailGapMessage(
    String stream,
    @Nullable String parentStream,
    @Nullable String recordKey,
    @Nullable String reason,
    @Nullable Boolean retryable,
    @Nullable Json detailLocator,
    @Nullable Json listCursor,
    @Nullable Json lastError,
    @Nullable String gapId)
    implements ConnectorMessage {
  @Override
  public String type() {
    return "DETAIL_GAP";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.detailGap(this);
  }

  @Override
  public String toString() {
    return "DETAIL_GAP[" + stream + "]";
  }
}
