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
  private static final String CUT = "...";

  private StorableText() {}

  /** Throws {@link ErrorCode#VALIDATION_FAILED} when {@code value} cannot be stored. Null can. */
  public static void require(String what, @Nullable String value) {
    if (value != null && !isStorable(value)) {
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
    int fault = faultFrom(text, 0);
    if (fault < 0) {
      return text;
    }
    StringBuilder repaired = new StringBuilder(text);
    while (fault >= 0) {
      repaired.setCharAt(fault, REPLACEMENT);
      fault = faultFrom(text, fault + 1);
    }
    return repaired.toString();
  }

  /**
   * The text {@link #repaired}, with at most {@code most} characters: of a longer one the beginning, never up to the
   * middle of a surrogate pair, with three dots at the end.
   *
   * @param most more than three
   */
  public static String cut(String text, int most) {
    if (text.length() <= most) {
      return repaired(text);
    }
    int end = most - CUT.length();
    boolean isPair = Character.isSurrogatePair(text.charAt(end - 1), text.charAt(end));
    return repaired(text.substring(0, isPair ? end - 1 : end)) + CUT;
  }

  /** Whether the text can be stored as it is. Allocates nothing. */
  public static boolean isStorable(String text) {
    return faultFrom(text, 0) < 0;
  }

  /** The index of the first half of a surrogate pair at or after {@code from}, or -1. Allocates nothing. */
  static int halfPair(CharSequence text, int from) {
    int index = from;
    while (index < text.length()) {
      int width = width(text, index);
      if (width == 0) {
        return index;
      }
      index += width;
    }
    return -1;
  }

  /** The index of the first character that cannot be stored at or after {@code from}; looks no further than it. */
  private static int faultFrom(CharSequence text, int from) {
    int index = from;
    while (index < text.length()) {
      int width = width(text, index);
      if (width == 0 || text.charAt(index) == '\0') {
        return index;
      }
      index += width;
    }
    return -1;
  }

  /** How many characters the code point at {@code index} has: 2 for a pair, 0 for half of one. */
  private static int width(CharSequence text, int index) {
    char at = text.charAt(index);
    if (!Character.isSurrogate(at)) {
      return 1;
    }
    return index + 1 < text.length() && Character.isSurrogatePair(at, text.charAt(index + 1))
        ? 2
        : 0;
  }
}
