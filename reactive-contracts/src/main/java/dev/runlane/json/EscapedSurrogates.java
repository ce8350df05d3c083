package dev.runlane.json;

/** JSON text without raw halves of surrogate pairs, which have no UTF-8: their escapes stand in their place. */
public final class EscapedSurrogates {
  private EscapedSurrogates() {}

  /**
   * The same JSON value; the very same text where nothing is to be escaped.
   *
   * @param json one valid JSON value, where such a half can stand only inside a text
   */
  public static String in(String json) {
    int half = StorableText.halfPair(json, 0);
    if (half < 0) {
      return json;
    }
    StringBuilder escaped = new StringBuilder(json.length() + 16);
    int from = 0;
    while (half >= 0) {
      escaped.append(json, from, half).append("\\u").append(Integer.toHexString(json.charAt(half)));
      from = half + 1;
      half = StorableText.halfPair(json, from);
    }
    return escaped.append(json, from, json.length()).toString();
  }
}
