package dev.runlane.connector.protocol;

import dev.runlane.json.StorableText;
import dev.runlane.run.Json;

/**
 * JSON that every store can hold, whatever a connector wrote. A half of a surrogate pair is legal in JSON and has no
 * UTF-8, so its escape takes its place: the value stays the same.
 */
public final class StorableJson {
  private StorableJson() {}

  /**
   * The value of valid JSON text.
   *
   * @param text may have halves of surrogate pairs in its texts
   */
  public static Json of(String text) {
    if (StorableText.repaired(text).equals(text)) {
      return Json.ofChecked(text);
    }
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    for (int at = 0; at < text.length(); at++) {
      char found = text.charAt(at);
      if (isPair(text, at)) {
        escaped.append(found).append(text.charAt(++at));
      } else if (Character.isSurrogate(found)) {
        escaped.append("\\u").append(Integer.toHexString(found));
      } else {
        escaped.append(found);
      }
    }
    return Json.ofChecked(escaped.toString());
  }

  private static boolean isPair(String text, int at) {
    return at + 1 < text.length()
        && Character.isSurrogatePair(text.charAt(at), text.charAt(at + 1));
  }
}
