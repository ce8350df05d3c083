package dev.runlane.connector.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.runlane.json.StorableText;
import dev.runlane.run.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether records of one stream can be stored under their keys. Values of the key's fields are compared as the text
 * they are written with, so a number 42 equals the key {@code "42"}. Reads no further than the last field it needs.
 */
public final class RecordIdentity {
  /** The code of a record whose key cannot be stored or is not that of its data. */
  public static final String INVALID_IDENTITY = "invalid_record_identity";

  /** The code of a record whose other parts cannot be stored. */
  public static final String MALFORMED = "malformed_ndjson";

  /** Most bytes of UTF-8 in a key = {@value}: what an index can hold, with room for the names before it. */
  public static final int MOST_KEY_BYTES = 1_024;

  private static final JsonFactory JSON = new JsonFactory();

  private final List<String> primaryKey;

  /**
   * For records of one stream.
   *
   * @param primaryKey the fields that must equal the key, in order; none when the data is not looked into
   */
  public RecordIdentity(List<String> primaryKey) {
    this.primaryKey = List.copyOf(primaryKey);
  }

  /** The code the record is rejected with, or empty when it can be stored. */
  public Optional<String> rejection(SinkRecord record) {
    if (!isStorableKey(record.key().text())) {
      return Optional.of(INVALID_IDENTITY);
    }
    if (!isStorable(record.emittedAt())) {
      return Optional.of(MALFORMED);
    }
    Json data = record.data();
    if (data == null || primaryKey.isEmpty()) {
      return Optional.empty();
    }
    try {
      return keyOf(data, record.key().compound()).equals(Optional.of(record.key()))
          ? Optional.empty()
          : Optional.of(INVALID_IDENTITY);
    } catch (IOException malformed) {
      return Optional.of(MALFORMED);
    }
  }

  private static boolean isStorableKey(String key) {
    return !key.isEmpty()
        && key.length() <= MOST_KEY_BYTES
        && Json.ofChecked(key).sizeInBytes() <= MOST_KEY_BYTES
        && isStorable(key);
  }

  private static boolean isStorable(String text) {
    return StorableText.repaired(text).equals(text);
  }

  /** The key that the data has, or empty when a field of it is missing or no single value. */
  private Optional<RecordKey> keyOf(Json data, boolean compound) throws IOException {
    @Nullable String[] found = new String[primaryKey.size()];
    int missing = found.length;
    try (JsonParser parser = JSON.createParser(data.text())) {
      parser.nextToken();
      while (missing > 0 && parser.nextToken() == JsonToken.FIELD_NAME) {
        int index = primaryKey.indexOf(parser.currentName());
        JsonToken value = parser.nextToken();
        if (index >= 0 && found[index] == null && value != null && isSingleValue(value)) {
          found[index] = parser.getText();
          missing--;
        } else {
          parser.skipChildren();
        }
      }
    }
    return missing > 0 ? Optional.empty() : key(found, compound);
  }

  private static boolean isSingleValue(JsonToken token) {
    return token.isScalarValue() && token != JsonToken.VALUE_NULL;
  }

  private static Optional<RecordKey> key(@Nullable String[] values, boolean compound) {
    List<String> parts = new ArrayList<>(values.length);
    for (String value : values) {
      parts.add(String.valueOf(value));
    }
    if (compound) {
      return Optional.of(RecordKey.of(parts));
    }
    return parts.size() == 1 ? Optional.of(RecordKey.of(parts.get(0))) : Optional.empty();
  }
}
