package dev.runlane.connector.protocol.redact;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A text with its percent-encoded characters decoded, which knows where each character stood. So a value is found
 * whichever characters a program encodes (RFC 3986, {@code encodeURIComponent}, forms) and in whichever case it writes
 * the digits. What is no encoded UTF-8 stays as it is.
 */
final class DecodedText {
  private static final int TRIPLET = 3; // %41
  private static final int ASCII = 128;
  private static final int LONGEST = 4; // bytes of a character

  private final String text;
  private final StringBuilder decoded = new StringBuilder();
  private final int[] starts;
  private final int[] ends;

  private DecodedText(String text) {
    this.text = text;
    starts = new int[text.length()];
    ends = new int[text.length()];
  }

  /** Decodes; {@code space} is how a space is written besides, as {@code +} in forms, or NUL for not at all. */
  static DecodedText of(String text, char space) {
    DecodedText result = new DecodedText(text);
    for (int at = 0; at < text.length(); ) {
      at = result.decode(at, space);
    }
    return result;
  }

  /** What it says. */
  CharSequence decoded() {
    return decoded;
  }

  /** Where a part of what it says stands in the text itself. */
  TextRange source(int from, int to) {
    return new TextRange(starts[from], ends[to - 1]);
  }

  /** Adds the character at {@code at}, and answers where the next one stands. */
  private int decode(int at, char space) {
    int first = text.charAt(at) == '%' ? byteAt(at) : -1;
    if (first >= 0 && first < ASCII) { // as most are, which need no decoder
      add((char) first, at, at + TRIPLET);
      return at + TRIPLET;
    }
    String character = first >= ASCII ? encodedAt(at) : null;
    if (character != null) {
      int next = at + TRIPLET * character.getBytes(StandardCharsets.UTF_8).length;
      character.chars().forEach(unit -> add((char) unit, at, next));
      return next;
    }
    char plain = text.charAt(at);
    add(plain == space && space != '\0' ? ' ' : plain, at, at + 1);
    return at + 1;
  }

  private void add(char unit, int from, int to) {
    starts[decoded.length()] = from;
    ends[decoded.length()] = to;
    decoded.append(unit);
  }

  /** The character that begins with the triplet at {@code at}, or null where that is none. */
  private @Nullable String encodedAt(int at) {
    byte[] bytes = new byte[LONGEST];
    for (int count = 1; count <= LONGEST; count++) {
      int value = byteAt(at + (count - 1) * TRIPLET);
      if (value < 0) {
        return null;
      }
      bytes[count - 1] = (byte) value;
      if (count == length(bytes[0])) {
        return utf8(bytes, count);
      }
    }
    return null;
  }

  private int byteAt(int at) {
    if (at + TRIPLET > text.length() || text.charAt(at) != '%') {
      return -1;
    }
    int high = Character.digit(text.charAt(at + 1), 16);
    int low = Character.digit(text.charAt(at + 2), 16);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }

  private static int length(byte first) {
    int ones = Integer.numberOfLeadingZeros(~first << 24);
    return ones == 0 ? 1 : ones;
  }

  private static @Nullable String utf8(byte[] bytes, int count) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, 0, count))
          .toString();
    } catch (CharacterCodingException malformed) {
      return null;
    }
  }
}
