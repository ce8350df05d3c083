package dev.runlane.connector.protocol.message;

import org.jspecify.annotations.Nullable;

/**
 * DONE: the connector's last message.
 *
 * @param status how it ended
 * @param recordsEmitted how many records it sent, at least 0
 * @param error why it did not succeed; null when it succeeded, and when it does not say
 */
public record DoneMessage(
    Status status, long recordsEmitted, @Nullable ConnectorError error)
    implements ConnectorMessage {

  /** How a connector says that it ended. */
  public enum Status {
    /** Everything in scope was sent or reported as skipped. */
    SUCCEEDED,
    /** It could not continue. */
    FAILED,
    /** It was asked to stop. */
    CANCELLED
  }

  @Override
  public String type() {
    return "DONE";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.done(this);
  }
}
