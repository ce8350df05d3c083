package dev.runlane.connector.protocol.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * ASSISTANCE: a note to the owner; the connector continues without an answer.
 *
 * @param requestId the connector's name for the note, or null
 * @param posture running, blocked or waiting_retry
 * @param ownerAction none, act_elsewhere, provide_value or operate_attachment
 * @param sensitivity none, secret or non_secret
 * @param message words for the owner; not blank, not redacted
 * @param stream a stream in scope, or null
 * @param attachments the kinds of what is attached, in order
 */
public record AssistanceMessage(
    @Nullable String requestId,
    String posture,
    String ownerAction,
    String sensitivity,
    String message,
    @Nullable String stream,
    List<String> attachments)
    implements ConnectorMessage {

  /** Copies the list. */
  public AssistanceMessage {
    attachments = List.copyOf(attachments);
  }

  @Override
  public String type() {
    return "ASSISTANCE";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.assistance(this);
  }

  @Override
  public String toString() {
    return "ASSISTANCE[" + posture + "]";
  }
}
