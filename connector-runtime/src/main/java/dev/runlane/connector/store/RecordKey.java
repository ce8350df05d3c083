package dev.runlane.connector.store;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.List;
import java.util.Objects;

/**
 * What a record is known by within its stream.
 *
 * @param text the key itself, or for a compound key its parts as a JSON array without white space
 * @param compound whether it is a compound key
 */
public record RecordKey(String text, boolean compound) {
  /** Refuses null. */
  public RecordKey {
    Objects.requireNonNull(text);
  }

  /** A key of one part. */
  public static RecordKey of(String key) {
    return new RecordKey(key, false);
  }

  /** A key of several parts. */
  public static RecordKey of(List<String> parts) {
    StringBuilder array = new StringBuilder("[");
    for (String part : parts) {
      array.append(array.length() == 1 ? "" : ",");
      quote(part, array);
    }
    return new RecordKey(array.append(']').toString(), true);
  }

  /** The key as a JSON value, as a connector writes it. */
  public String json() {
    if (compound) {
      return text;
    }
    StringBuilder quoted = new StringBuilder(text.length() + 2);
    quote(text, quoted);
    return quoted.toString();
  }

  private static void quote(String text, StringBuilder into) {
    into.append('"');
    JsonStringEncoder.getInstance().quoteAsString(text, into);
    into.append('"');
  }
}
