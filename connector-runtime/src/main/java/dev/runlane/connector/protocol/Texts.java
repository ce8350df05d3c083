package dev.runlane.connector.protocol;

import org.jspecify.annotations.Nullable;

/** Text cut to a length. */
final class Texts {
  private static final char CUT = '…';

  private Texts() {}

  /** The text, or its beginning and an ellipsis, at most {@code most} characters and no half of a pair. */
  static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = most - 1;
    if (Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(0, end) + CUT;
  }

  /** As {@link #cut}; null stays null. */
  static @Nullable String cutOrNull(@Nullable String text, int most) {
    return text == null ? null : cut(text, most);
  }
}
