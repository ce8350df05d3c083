package dev.runlane.connector.protocol;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
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

  private @Nullable String stream;
  private @Nullable RecordChecks rules;
  private RecordChecks.@Nullable Found found;
  private boolean looked;
  private final List<String> keyParts = new ArrayList<>();
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
    stream = null;
    rules = null;
    found = null;
    looked = false;
    keyParts.clear();
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
        rules = checks.stream(stream);
        found = rules == null ? null : places.computeIfAbsent(rules, RecordChecks::found);
      }
      case "key" -> key(value, parser);
      case "data" -> data(value, parser);
      case "emitted_at" -> emittedAt = text(name, value, parser);
      case "op" -> op = value == JsonToken.VALUE_NULL ? null : text(name, value, parser);
      default -> parser.skipChildren();
    }
  }

  private void key(JsonToken value, JsonParser parser) throws IOException {
    if (value == JsonToken.START_ARRAY) {
      compound = true;
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        keyParts.add(text("key", parser.currentToken(), parser));
      }
      if (keyParts.isEmpty()) {
        throw invalid("key must not be an empty list");
      }
      key = CompoundKey.of(keyParts);
    } else {
      key = text("key", value, parser);
      keyParts.add(key);
    }
  }

  private void data(JsonToken value, JsonParser parser) throws IOException {
    if (value == JsonToken.VALUE_NULL) {
      return;
    }
    if (value != JsonToken.START_OBJECT) {
      throw invalid("data must be an object");
    }
    dataFrom = (int) parser.currentTokenLocation().getByteOffset();
    if (rules == null || found == null) {
      parser.skipChildren();
    } else {
      look(parser, rules, found);
    }
    dataTo = (int) parser.currentLocation().getByteOffset();
  }

  /** Goes through the data's own members; ends at its closing bracket. */
  private void look(JsonParser parser, RecordChecks against, RecordChecks.Found into)
      throws IOException {
    into.clear();
    looked = true;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      if (into.extraField == null && !against.allows(name)) {
        into.extraField = name;
      }
      RecordChecks.Watch watch = against.watch(name);
      JsonToken value = parser.nextToken();
      if (watch != null && value.isScalarValue()) {
        note(watch, value, parser, into);
      }
      parser.skipChildren();
    }
  }

  private static void note(
      RecordChecks.Watch watch, JsonToken value, JsonParser parser, RecordChecks.Found into)
      throws IOException {
    String text = parser.getText();
    if (watch.keyPart() >= 0 && value != JsonToken.VALUE_NULL) {
      into.identity[watch.keyPart()] = text;
    }
    if (watch.isResource() && value == JsonToken.VALUE_STRING) {
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
    if (stream == null) {
      throw invalid("stream is missing");
    }
    if (rules == null || found == null) {
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
    if (hasData && !looked) {
      lookAgain(rules, found);
    }
    Violation broken = rules.broken(key, hasData, found);
    return broken != null ? broken : message(rules, found, key, emittedAt, hasData, deletion);
  }

  private void lookAgain(RecordChecks against, RecordChecks.Found into) throws IOException {
    try (JsonParser parser = factory.createParser(bytes, offset + dataFrom, dataTo - dataFrom)) {
      parser.nextToken();
      look(parser, against, into);
    }
  }

  private RecordMessage message(
      RecordChecks against,
      RecordChecks.Found seen,
      String ofKey,
      String at,
      boolean hasData,
      boolean deletion) {
    return new RecordMessage(
        against.stream(),
        ofKey,
        compound,
        hasData ? Json.ofChecked(dataText()) : null,
        at,
        deletion,
        against.identifies(keyParts, hasData, seen),
        length);
  }

  private String dataText() {
    Charset charset = ascii ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8;
    return new String(bytes, offset + dataFrom, dataTo - dataFrom, charset);
  }

  private static String text(String name, @Nullable JsonToken value, JsonParser parser)
      throws IOException {
    if (value != JsonToken.VALUE_STRING) {
      throw invalid(name + " must be text");
    }
    String text = parser.getText();
    if (text.isBlank()) {
      throw invalid(name + " must not be blank");
    }
    if (!StorableText.repaired(text).equals(text)) {
      throw invalid(name + " must not contain NUL or half a surrogate pair");
    }
    return text;
  }

  private static RefusedMessage invalid(String why) {
    return new RefusedMessage(
        Violation.of(ViolationType.INVALID_MESSAGE, "RECORD: " + why).inMessage("RECORD"));
  }
}
