package dev.runlane.connector.protocol.message;

import dev.runlane.run.Json;
import org.jspecify.annotations.Nullable;

/**
 * PROGRESS: how far the connector is.
 *
 * @param message what it says; not blank, not redacted
 * @param stream a stream in scope, or null
 * @param count done so far, a JSON number that is finite and not negative, or null
 * @param total to be done, as {@code count}
 */
public record ProgressMessage(
    String message,
    @Nullable String stream,
    @Nullable Json count,
    @Nullable Json total) implements ConnectorMessage {
  @Override
  public String type() {
    return "PROGRESS";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.progress(this);
  }

  @Override
  public String toString() {
    return "PROGRESS[" + stream + "]";
  }
}
