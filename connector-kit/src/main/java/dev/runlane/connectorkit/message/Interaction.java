package dev.runlane.connectorkit.message;

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

  /** The longest that anything is waited for, by a connector as by its owner = 36 500 days. */
  public static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

  /** Refuses a blank message and a timeout that is not above zero or longer than 36 500 days. */
  public Interaction {
    if (message.isBlank()) {
      throw new IllegalArgumentException("an interaction has a message");
    }
    if (timeout != null
        && (timeout.isNegative() || timeout.isZero() || timeout.compareTo(LONGEST_WAIT) > 0)) {
      throw new IllegalArgumentException("an interaction's timeout is above zero and at most "
          + LONGEST_WAIT + ", was " + timeout);
    }
  }

  /** Asks for what logs in. */
  public static Interaction credentials(String message) {
    return new Interaction(InteractionKind.CREDENTIALS, message, null, null, null);
  }

  /** Asks for a one-time code. */
  public static Interaction otp(String message) {
    return new Interaction(InteractionKind.OTP, message, null, null, null);
  }

  /** Asks for something done by hand; the answer has no values. */
  public static Interaction manualAction(String message) {
    return new Interaction(InteractionKind.MANUAL_ACTION, message, null, null, null);
  }

  /** The same question about one stream. */
  public Interaction about(String name) {
    return new Interaction(kind, message, name, timeout, schema);
  }

  /** The same question, open for at most this long. */
  public Interaction within(Duration limit) {
    return new Interaction(kind, message, stream, limit, schema);
  }

  /** The same question with the schema of its answer. */
  public Interaction answeredBy(ObjectNode jsonSchema) {
    return new Interaction(kind, message, stream, timeout, jsonSchema);
  }
}
