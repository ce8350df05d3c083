package dev.runlane.connector.protocol.message;

import dev.runlane.connector.protocol.text.Texts;
import dev.runlane.json.StorableText;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How one line of a connector, or its end, broke the protocol. It names types, streams and fields, never a
 * value: names are cut at {@link #MAX_TEXT} characters, lists at {@link #MAX_LIST} names.
 *
 * @param type what was broken
 * @param message the same in words
 * @param messageType the message's type, or null where there is none
 * @param stream the stream it named, or null
 * @param received what was found, or null
 * @param expected what would have been right; empty where that is no list
 * @param truncated whether {@code expected} was cut
 * @param line the number of the line, from 1; 0 when it is not about a line
 */
public record Violation(
    ViolationType type,
    String message,
    @Nullable String messageType,
    @Nullable String stream,
    @Nullable String received,
    List<String> expected,
    boolean truncated,
    long line)
    implements Received {
  /** Most characters of a name = {@value}. */
  public static final int MAX_TEXT = 200;

  /** Most names in a list = {@value}. */
  public static final int MAX_LIST = 20;

  /** Cuts what is too long, and takes out what no store can hold. */
  public Violation {
    message = storable(message);
    messageType = storableOrNull(messageType);
    stream = storableOrNull(stream);
    received = storableOrNull(received);
    truncated = truncated || expected.size() > MAX_LIST;
    expected = expected.stream().limit(MAX_LIST).map(Violation::storable).toList();
  }

  /** A violation that is about no line, in words of the runtime. */
  public static Violation of(ViolationType type, String message) {
    return new Violation(type, message, null, null, null, List.of(), false, 0);
  }

  /** The same violation, of a message of this type. */
  public Violation inMessage(String newMessageType) {
    return new Violation(
        type, message, newMessageType, stream, received, expected, truncated, line);
  }

  /** The same violation, found in this line. */
  public Violation atLine(long newLine) {
    return new Violation(
        type, message, messageType, stream, received, expected, truncated, newLine);
  }

  /** The same violation, with what the connector named as {@code redaction} leaves it. */
  public Violation redacted(UnaryOperator<String> redaction) {
    return new Violation(
        type,
        message,
        messageType == null ? null : redaction.apply(messageType),
        stream == null ? null : redaction.apply(stream),
        received == null ? null : redaction.apply(received),
        expected,
        truncated,
        line);
  }

  private static String storable(String text) {
    return StorableText.repaired(Texts.cut(text, MAX_TEXT));
  }

  private static @Nullable String storableOrNull(@Nullable String text) {
    return text == null ? null : storable(text);
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.violation(this);
  }
}
