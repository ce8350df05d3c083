package dev.runlane.connector.protocol.redact;

import java.util.Comparator;
import java.util.List;

/**
 * A part of a text.
 *
 * @param from its first character
 * @param to the one after its last
 */
record TextRange(int from, int to) {
  /** The text with each range replaced, and those that touch or overlap by one mark together. */
  static String replaced(String text, List<TextRange> ranges, String mark) {
    if (ranges.isEmpty()) {
      return text;
    }
    StringBuilder clean = new StringBuilder();
    int at = 0;
    boolean marked = false;
    for (TextRange range :
        ranges.stream().sorted(Comparator.comparingInt(TextRange::from)).toList()) {
      if (range.from() > at || !marked) {
        clean.append(text, at, Math.max(at, range.from())).append(mark);
        marked = true;
      }
      at = Math.max(at, range.to());
    }
    return clean.append(text, at, text.length()).toString();
  }
}
