package dev.runlane.connector.protocol.read;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.runlane.connector.protocol.message.Received;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.protocol.text.Timestamps;
import dev.runlane.json.StorableText;
import dev.runlane.run.Json;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads RECORD lines in one pass, without a tree: the data is looked at on the way where the stream is
 * already known, else in a second pass over its bytes. Belongs to one thread.
 */
final class RecordReader {
  private final JsonFactory factory;
  private final OutputChecks checks;
  private final Map<RecordChecks, RecordChecks.Found> places = new HashMap<>();

  private byte[] bytes = new byte[0];
  private int offset;
  private int length;
  private boolean ascii;

  private @Nullable String fault; // told only once the line is known to be a record
  private @Nullable String stream;
  private @Nullable RecordChecks rules;
  private RecordChecks.@Nullable Found
      found; // what the rules watch for; null before the data was seen
  private List<String> keyParts = List.of();
  private @Nullable String key;
  private boolean compound;
  private int dataFrom;
  private int dataTo;
  private @Nullable String emittedAt;
  private @Nullable String op;

  RecordReader(JsonFactory factory, OutputChecks checks) {
    this.factory = factory;
    this.checks = checks;
  }

  /**
   * The record of a line, its violation, or null when the line's first type is not RECORD; then the line
   * has been read only up to there.
   */
  @Nullable
  Received read(byte[] line, int from, int size, boolean onlyAscii) throws IOException {
    reset(line, from, size, onlyAscii);
    try (JsonParser parser = factory.createParser(line, from, size)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      boolean record = false;
      for (JsonToken token = parser.nextToken();
          token == JsonToken.FIELD_NAME;
          token = parser.nextToken()) {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        if (name.equals("type")) {
          record = value == JsonToken.VALUE_STRING && parser.getText().equals("RECORD");
          if (!record) {
            return null;
          }
        } else {
          member(name, value, parser);
        }
      }
      if (!record) {
        return null;
      }
      if (parser.nextToken() != null) {
        throw new JsonParseException(parser, "more than one value");
      }
    }
    return checked();
  }

  private void reset(byte[] line, int from, int size, boolean onlyAscii) {
    bytes = line;
    offset = from;
    length = size;
    ascii = onlyAscii;
    fault = null;
    stream = null;
    rules = null;
    found = null;
    keyParts = List.of();
    key = null;
    compound = false;
    dataFrom = -1;
    emittedAt = null;
    op = null;
  }

  private void member(String name, JsonToken value, JsonParser parser) throws IOException {
    switch (name) {
      case "stream" -> {
        stream = text(name, value, parser);
        rules = stream == null ? null : checks.stream(stream);
      }
      case "key" -> key(value, parser);
      case "data" -> data(value, parser);
      case "emitted_at" -> emittedAt = text(name, value, parser);
      case "op" -> op = value == JsonToken.VALUE_NULL ? null : text(name, value, parser);
      default -> parser.skipChildren();
    }
  }

  private void key(JsonToken value, JsonParser parser) throws IOException {
    compound = value == JsonToken.START_ARRAY;
    if (!compound) {
      key = text("key", value, parser);
      keyParts = key == null ? List.of() : List.of(key);
      return;
    }
    List<String> parts = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      String part = text("key", parser.currentToken(), parser);
      if (part != null) {
        parts.add(part);
      }
    }
    if (parts.isEmpty()) {
      note("key must not be an empty list");
    }
    keyParts = parts;
    key = CompoundKey.of(parts);
  }

  private void data(JsonToken value, JsonParser parser) throws IOException {
    if (value == JsonToken.VALUE_NULL) {
      return;
    }
    if (value != JsonToken.START_OBJECT) {
      note("data must be an object");
      parser.skipChildren();
      return;
    }
    dataFrom = (int) parser.currentTokenLocation().getByteOffset();
    if (rules == null) {
      parser.skipChildren();
    } else {
      found = look(parser, rules);
    }
    dataTo = (int) parser.currentLocation().getByteOffset();
  }

  /** Goes through the data's own members; ends at its closing bracket. */
  private RecordChecks.Found look(JsonParser parser, RecordChecks against) throws IOException {
    RecordChecks.Found into = places.computeIfAbsent(against, RecordChecks::found);
    into.clear();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      if (into.extraField == null && !against.allows(name)) {
        into.extraField = name;
      }
      RecordChecks.Watch watch = against.watch(name);
      JsonToken value = parser.nextToken();
      if (watch != null && value.isScalarValue()) {
        keep(watch, value, parser, into);
      }
      parser.skipChildren();
    }
    return into;
  }

  private static void keep(
      RecordChecks.Watch watch, JsonToken value, JsonParser parser, RecordChecks.Found into)
      throws IOException {
    String text = parser.getText();
    if (watch.keyPart() >= 0 && value != JsonToken.VALUE_NULL) {
      into.identity[watch.keyPart()] = text;
    }
    if (watch.isResource() && (value == JsonToken.VALUE_STRING || value.isNumeric())) {
      into.resource = text;
    }
    if (watch.isConsentTime()) {
      into.micros = value == JsonToken.VALUE_STRING
          ? Timestamps.micros(text)
          : value.isNumeric()
              ? Timestamps.microsOfMillis(parser.getDoubleValue())
              : Timestamps.UNREADABLE;
    }
  }

  private Received checked() throws IOException {
    if (fault != null || stream == null) {
      throw invalid(fault == null ? "stream is missing" : fault);
    }
    if (rules == null) {
      throw new RefusedMessage(
          checks.undeclared(ViolationType.RECORD_FOR_UNDECLARED_STREAM, "RECORD", stream));
    }
    boolean deletion = "delete".equals(op);
    if (!(op == null || deletion || op.equals("upsert"))) {
      throw invalid("op must be delete or upsert");
    }
    if (key == null || emittedAt == null) {
      throw invalid(key == null ? "key is missing" : "emitted_at is missing");
    }
    boolean hasData = dataFrom >= 0;
    if (!hasData && !deletion) {
      throw invalid("data is missing");
    }
    RecordChecks.Found seen = hasData && found == null ? lookAgain(rules) : found;
    Violation broken = deletion
        ? rules.brokenByDeletion(key, hasData ? seen : null)
        : rules.broken(key, hasData ? seen : null);
    if (broken != null) {
      return broken;
    }
    return new RecordMessage(
        rules.stream(),
        key,
        compound,
        hasData ? Json.ofChecked(dataText()) : null,
        emittedAt,
        deletion,
        rules.identifies(keyParts, hasData ? seen : null),
        length);
  }

  private RecordChecks.Found lookAgain(RecordChecks against) throws IOException {
    try (JsonParser parser = factory.createParser(bytes, offset + dataFrom, dataTo - dataFrom)) {
      parser.nextToken();
      return look(parser, against);
    }
  }

  private String dataText() {
    Charset charset = ascii ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8;
    return new String(bytes, offset + dataFrom, dataTo - dataFrom, charset);
  }

  /** The text, or null after noting what is wrong with it. */
  private @Nullable String text(String name, @Nullable JsonToken value, JsonParser parser)
      throws IOException {
    if (value != JsonToken.VALUE_STRING) {
      note(name + " must be text");
      parser.skipChildren();
      return null;
    }
    String text = parser.getText();
    if (text.isBlank()) {
      note(name + " must not be blank");
    } else if (!StorableText.isStorable(text)) {
      note(name + " must not contain NUL or half a surrogate pair");
    }
    return text;
  }

  private void note(String why) {
    if (fault == null) {
      fault = why;
    }
  }

  private static RefusedMessage invalid(String why) {
    return new RefusedMessage(
        Violation.of(ViolationType.INVALID_MESSAGE, "RECORD: " + why).inMessage("RECORD"));
  }
}
