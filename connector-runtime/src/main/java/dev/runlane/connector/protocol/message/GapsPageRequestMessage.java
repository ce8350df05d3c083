package dev.runlane.connector.protocol.message;

/**
 * DETAIL_GAPS_PAGE_REQUEST: a request for a page of earlier gaps.
 *
 * @param requestId what the page must name
 */
public record GapsPageRequestMessage(String requestId) implements ConnectorMessage {
  @Override
  public String type() {
    return "DETAIL_GAPS_PAGE_REQUEST";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.gapsPageRequest(this);
  }
}
