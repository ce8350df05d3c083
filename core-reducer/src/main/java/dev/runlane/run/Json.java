package dev.runlane.run;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * One JSON value as immutable text, kept and stored exactly as it was written. Two values are equal
 * when their texts are. {@link #toString()} gives the size only, so that no payload gets into a log.
 */
public final class Json {
  private final String text;

  private Json(String text) {
    this.text = Objects.requireNonNull(text);
  }

  /**
   * Wraps text that is already known to be one valid JSON value. This class has no parser: text from
   * outside comes through the contracts' {@code JsonValues}, which checks syntax, size and depth.
   */
  public static Json ofChecked(String text) {
    return new Json(text);
  }

  /** The JSON text. */
  public String text() {
    return text;
  }

  /** The size of the text in bytes of UTF-8. */
  public int sizeInBytes() {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Json that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return "Json[" + text.length() + " characters]";
  }
}
