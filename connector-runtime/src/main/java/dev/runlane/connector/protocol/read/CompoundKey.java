package dev.runlane.connector.protocol.read;

import java.util.List;

/** The one text that stands for a key of several values: their minified JSON array. */
final class CompoundKey {
  private static final String HEX = "0123456789abcdef";

  private CompoundKey() {}

  static String of(List<String> parts) {
    StringBuilder key = new StringBuilder("[");
    for (int i = 0; i < parts.size(); i++) {
      key.append(i == 0 ? "\"" : ",\"");
      escape(parts.get(i), key);
      key.append('"');
    }
    return key.append(']').toString();
  }

  /** Escapes what JSON must and nothing else, control characters in lower-case digits. */
  private static void escape(String part, StringBuilder into) {
    for (int i = 0; i < part.length(); i++) {
      char found = part.charAt(i);
      switch (found) {
        case '"' -> into.append("\\\"");
        case '\\' -> into.append("\\\\");
        case '\b' -> into.append("\\b");
        case '\f' -> into.append("\\f");
        case '\n' -> into.append("\\n");
        case '\r' -> into.append("\\r");
        case '\t' -> into.append("\\t");
        default -> {
          if (found < ' ') {
            into.append("\\u00").append(HEX.charAt(found >> 4)).append(HEX.charAt(found & 15));
          } else {
            into.append(found);
          }
        }
      }
    }
  }
}
