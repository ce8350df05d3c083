package dev.runlane.connector.protocol.text;

import dev.runlane.json.EscapedSurrogates;
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
    return Json.ofChecked(EscapedSurrogates.in(text));
  }
}
