package dev.runlane.connector.protocol.message;

import dev.runlane.run.Json;

/**
 * STATE: the cursor of a stream in scope, which covers all records of the stream sent before it.
 *
 * @param stream the stream's name
 * @param cursor a JSON object or {@code null}, minified
 */
public record StateMessage(String stream, Json cursor) implements ConnectorMessage {
  @Override
  public String type() {
    return "STATE";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.state(this);
  }
}
