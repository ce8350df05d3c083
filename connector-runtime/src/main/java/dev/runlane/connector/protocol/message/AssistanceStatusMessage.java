package dev.runlane.connector.protocol.message;

/**
 * ASSISTANCE_STATUS: what became of a note to the owner.
 *
 * @param requestId the connector's name for the note
 * @param status resolved, cancelled, timed_out or escalated
 */
public record AssistanceStatusMessage(String requestId, String status) implements ConnectorMessage {
  @Override
  public String type() {
    return "ASSISTANCE_STATUS";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.assistanceStatus(this);
  }
}
