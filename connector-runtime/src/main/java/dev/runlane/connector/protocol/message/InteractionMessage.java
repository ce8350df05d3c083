package dev.runlane.connector.protocol.message;

import dev.runlane.run.Json;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * INTERACTION: a question to the owner; the connector waits for the answer and says nothing meanwhile.
 *
 * @param requestId what the answer must name
 * @param kind what is asked for
 * @param message words for the owner; not blank, not redacted
 * @param schema a JSON Schema of the answer: an object, or null
 * @param stream a stream in scope, or null
 * @param timeout how long the connector is willing to wait, positive, or null for no limit of its own
 */
public record InteractionMessage(
    String requestId,
    InteractionKind kind,
    String message,
    @Nullable Json schema,
    @Nullable String stream,
    @Nullable Duration timeout)
    implements ConnectorMessage {
  @Override
  public String type() {
    return "INTERACTION";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.interaction(this);
  }

  @Override
  public String toString() {
    return "INTERACTION[" + kind.value() + "]";
  }
}
