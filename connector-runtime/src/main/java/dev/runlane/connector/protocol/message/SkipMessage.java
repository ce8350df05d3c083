package dev.runlane.connector.protocol.message;

import org.jspecify.annotations.Nullable;

/**
 * SKIP_RESULT: something in scope that the connector leaves out.
 *
 * @param stream a stream in scope, or null
 * @param reason the connector's reason, or null
 * @param report what is left out and what may bring it back; not redacted
 */
public record SkipMessage(@Nullable String stream, @Nullable String reason, GapReport report)
    implements ConnectorMessage {
  @Override
  public String type() {
    return "SKIP_RESULT";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.skip(this);
  }
}
