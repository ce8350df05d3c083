package dev.runlane.connector.protocol.text;

import org.jspecify.annotations.Nullable;

/** Text cut to a length. */
public final class Texts {
  private static final char CUT = '…';

  private Texts() {}

  /** The text, or its beginning and an ellipsis, at most {@code most} characters and no half of a pair. */
  public static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    return head(text, most - 1) + CUT;
  }

  /** The beginning of a longer text, at most {@code most} characters and no half of a pair. */
  public static String head(String text, int most) {
    boolean split = Character.isHighSurrogate(text.charAt(most - 1));
    return text.substring(0, split ? most - 1 : most);
  }

  /** As {@link #cut}; null stays null. */
  static @Nullable public String cutOrNull(@Nullable String text, int most) {
    return text == null ? null : cut(text, most);
  }
}
