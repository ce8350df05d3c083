package dev.runlane.connectorkit.message;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A record that is known of but whose details could not be had. The runtime keeps it as a known gap of the run.
 *
 * @param stream the stream of the details
 * @param recordKey whose details they are, or null
 * @param parentStream the stream that lists such records, or null
 * @param reason a short code of the connector's own
 * @param retryable whether a later run may have them; null where that is not known
 * @param gapId the connector's name for it, by which {@link dev.runlane.connectorkit.ConnectorRun#detailRecovered}
 *     ends it, or null
 * @param locator what the connector needs to find them, without secrets, or null
 */
public record DetailGap(
    String stream,
    @Nullable RecordKey recordKey,
    @Nullable String parentStream,
    String reason,
    @Nullable Boolean retryable,
    @Nullable String gapId,
    @Nullable ObjectNode locator) {

  /** Refuses a blank stream and a blank reason. */
  public DetailGap {
    if (stream.isBlank() || reason.isBlank()) {
      throw new IllegalArgumentException("a detail gap has a stream and a reason");
    }
  }

  /** The missing details of one record. */
  public static DetailGap of(String stream, RecordKey recordKey, String reason) {
    return new DetailGap(stream, recordKey, null, reason, null, null, null);
  }

  /** The same, of a record that {@code parent} lists. */
  public DetailGap listedBy(String parent) {
    return new DetailGap(stream, recordKey, parent, reason, retryable, gapId, locator);
  }

  /** The same, saying whether a later run may have them. */
  public DetailGap retryable(boolean mayPass) {
    return new DetailGap(stream, recordKey, parentStream, reason, mayPass, gapId, locator);
  }

  /** The same under a name. */
  public DetailGap named(String id) {
    return new DetailGap(stream, recordKey, parentStream, reason, retryable, id, locator);
  }

  /** The same, with what is needed to find the details. */
  public DetailGap locatedBy(ObjectNode facts) {
    return new DetailGap(stream, recordKey, parentStream, reason, retryable, gapId, facts);
  }
}
