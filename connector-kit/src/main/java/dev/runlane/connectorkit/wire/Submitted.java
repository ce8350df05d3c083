package dev.runlane.connectorkit.wire;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The values that were submitted in this run, to be kept out of what is said later: a site's error
 * page, quoted in a message, may well repeat a password. Safe for several threads.
 */
public final class Submitted {

  /** A shorter value would be found in ordinary words. */
  private static final int MIN_LENGTH = 3;

  private static final String REPLACEMENT = "[submitted value]";

  private final Set<String> values = ConcurrentHashMap.newKeySet();

  /** Remembers every text and number in {@code data}, however deep. */
  void remember(JsonNode data) {
    if (data.isValueNode()) {
      if (data.asText().length() >= MIN_LENGTH && !data.isBoolean() && !data.isNull()) {
        values.add(data.asText());
      }
      return;
    }
    data.forEach(this::remember);
  }

  public String redact(String text) {
    if (values.isEmpty()) {
      return text;
    }
    String redacted = text;
    for (String value : longestFirst()) {
      redacted = redacted.replace(value, REPLACEMENT);
    }
    return redacted;
  }

  private Iterable<String> longestFirst() {
    return values.stream()
        .sorted(Comparator.comparingInt(String::length).reversed())
        .toList();
  }
}
