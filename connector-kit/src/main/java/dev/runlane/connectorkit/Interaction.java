package dev.runlane.connectorkit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A question to the owner. While it is open the connector may say nothing else, so other threads
 * that emit wait for its answer.
 *
 * @param stream null when it concerns no single stream
 * @param timeout when the runtime gives up, rounded up to seconds; null means with the run
 * @param schema the JSON Schema of the answer's data, or null
 */
public record Interaction(
    InteractionKind kind,
    String message,
    @Nullable String stream,
    @Nullable Duration timeout,
    @Nullable ObjectNode schema) {

  public Interaction {
    if (message.isBlank()) {
      throw new IllegalArgumentException("an interaction has a message");
    }
    if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
      throw new IllegalArgumentException("an interaction's timeout is above zero, was " + timeout);
    }
  }

  public static Interaction credentials(String message) {
    return new Interaction(InteractionKind.CREDENTIALS, message, null, null, null);
  }

  public static Interaction otp(String message) {
    return new Interaction(InteractionKind.OTP, message, null, null, null);
  }

  public static Interaction manualAction(String message) {
    return new Interaction(InteractionKind.MANUAL_ACTION, message, null, null, null);
  }

  public Interaction about(String name) {
    return new Interaction(kind, message, name, timeout, schema);
  }

  public Interaction within(Duration limit) {
    return new Interaction(kind, message, stream, limit, schema);
  }

  public Interaction answeredBy(ObjectNode jsonSchema) {
    return new Interaction(kind, message, stream, timeout, jsonSchema);
  }
}
