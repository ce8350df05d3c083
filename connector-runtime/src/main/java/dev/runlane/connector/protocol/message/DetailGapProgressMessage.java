package dev.runlane.connector.protocol.message;

import org.jspecify.annotations.Nullable;

/**
 * DETAIL_GAP_ATTEMPTED or DETAIL_GAP_RECOVERED: work on an earlier gap.
 *
 * @param recovered whether it is filled now
 * @param gapId the gap's id, or null when the connector does not name it
 * @param stream a stream in scope, or null
 * @param recordKey the key of the record as text, or null
 */
public record DetailGapProgressMessage(
    boolean recovered,
    @Nullable String gapId,
    @Nullable String stream,
    @Nullable String recordKey) implements ConnectorMessage {
  @Override
  public String type() {
    return recovered ? "DETAIL_GAP_RECOVERED" : "DETAIL_GAP_ATTEMPTED";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.detailGapProgress(this);
  }
}
