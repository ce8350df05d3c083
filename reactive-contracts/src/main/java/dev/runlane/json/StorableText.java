package dev.runlane.json;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Text that every storage and every wire can hold: no NUL, which PostgreSQL refuses, and no half of a
 * surrogate pair, which has no UTF-8 and comes back as another character. Inside JSON both are data: see
 * {@link JsonValues#parse}.
 */
public final class StorableText {
  private static final char REPLACEMENT = '\ufffd';

  private StorableText() {}

  /** Throws {@link ErrorCode#VALIDATION_FAILED} when {@code value} cannot be stored. Null can. */
  public static void require(String what, @Nullable String value) {
    if (value != null && firstFault(value) >= 0) {
      throw RunlaneException.validationFailed(
          "%s must not contain NUL or half a surrogate pair", what);
    }
  }

  /** As {@link #require(String, String)}, for every name and value. */
  public static void require(String what, @Nullable Map<String, String> entries) {
    if (entries != null) {
      entries.forEach((name, value) -> {
        require(what, name);
        require(what, value);
      });
    }
  }

  /**
   * The text with U+FFFD in the place of what cannot be stored; the very same text where nothing is to
   * be replaced. For messages of failures, which must be stored whatever they say.
   */
  public static String repaired(String text) {
    int fault = firstFault(text);
    if (fault < 0) {
      return text;
    }
    StringBuilder repaired = new StringBuilder(text);
    while (fault >= 0) {
      repaired.setCharAt(fault, REPLACEMENT);
      fault = faultFrom(repaired, fault + 1);
    }
    return repaired.toString();
  }

  /** The index of the first character that cannot be stored, or -1. Allocates nothing. */
  static int firstFault(String text) {
    return faultFrom(text, 0);
  }

  /** The index of the first half of a surrogate pair at or after {@code from}, or -1. Allocates nothing. */
  static int halfPair(CharSequence text, int from) {
    int index = from;
    while (index < text.length()) {
      char at = text.charAt(index);
      boolean pair =
          index + 1 < text.length() && Character.isSurrogatePair(at, text.charAt(index + 1));
      if (Character.isSurrogate(at) && !pair) {
        return index;
      }
      index += pair ? 2 : 1;
    }
    return -1;
  }

  private static int faultFrom(CharSequence text, int from) {
    int half = halfPair(text, from);
    int end = half < 0 ? text.length() : half;
    for (int index = from; index < end; index++) {
      if (text.charAt(index) == '\0') {
        return index;
      }
    }
    return half;
  }
}
