package dev.runlane.connectorkit.message;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What identifies a record in its stream: the values of the manifest's primary key, in its order.
 *
 * @param parts one or more texts, none blank
 */
public record RecordKey(List<String> parts) {

  /** Refuses no part, and a blank one, as the runtime does. */
  public RecordKey {
    parts = List.copyOf(parts);
    if (parts.isEmpty() || parts.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException("a key has one or more parts, none of them blank");
    }
  }

  /** A key of these parts, in the order of the primary key. */
  public static RecordKey of(String... parts) {
    return new RecordKey(List.of(parts));
  }

  public boolean isCompound() {
    return parts.size() > 1;
  }

  /** How {@code resources} name the record: its key, or all parts as a minified JSON array. */
  public String canonical() {
    return isCompound()
        ? parts.stream().map(RecordKey::quoted).collect(Collectors.joining(",", "[", "]"))
        : parts.get(0);
  }

  /** As the runtime spells it: control characters without an escape of their own in lower-case digits. */
  private static String quoted(String part) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int index = 0; index < part.length(); index++) {
      char each = part.charAt(index);
      int shortEscape = "\"\\\b\f\n\r\t".indexOf(each);
      if (shortEscape >= 0) {
        quoted.append('\\').append("\"\\bfnrt".charAt(shortEscape));
      } else if (each < ' ') {
        quoted.append("\\u%04x".formatted((int) each));
      } else {
        quoted.append(each);
      }
    }
    return quoted.append('"').toString();
  }
}
