package dev.runlane.console.answer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.json.ExactTrees;
import dev.runlane.json.JsonValues;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** JSON as trees that keep the value of every number, and as text that has every text exactly. */
public final class JsonTexts {
  private static final int MOST_DEPTH = 100; // an envelope's more than a payload may have
  private static final ObjectReader STORED =
      ExactTrees.mapper(JsonValues.STORED).readerFor(JsonNode.class);
  private static final JsonMapper SENT = ExactTrees.mapper(JsonFactory.builder()
      .streamReadConstraints(
          StreamReadConstraints.builder().maxNestingDepth(MOST_DEPTH).build())
      .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .build());
  private static final ObjectWriter PLAIN = SENT.writer();
  private static final ObjectWriter ASCII = PLAIN.with(JsonWriteFeature.ESCAPE_NON_ASCII);

  private JsonTexts() {}

  /** What is stored, as a tree. */
  public static JsonNode tree(Json json) {
    try {
      return STORED.readTree(json.text());
    } catch (IOException unreadable) {
      throw RunlaneException.invariantViolation("stored JSON cannot be read").causedBy(unreadable);
    }
  }

  /** What is stored and known to be an object. */
  public static ObjectNode object(Json json) {
    return (ObjectNode) tree(json);
  }

  /** A body that was sent. Refuses what is no JSON, has a name twice or is nested too deeply; quotes no value. */
  public static JsonNode body(Buffer body) {
    try {
      JsonNode tree = SENT.readTree(body.getBytes());
      if (!tree.isMissingNode()) {
        return tree;
      }
    } catch (IOException malformed) {
      // told below
    }
    throw ApiRefusal.invalid("body", "the body is not valid JSON");
  }

  /** The text of a tree, half surrogate pairs included. */
  public static String write(JsonNode tree) {
    return written(PLAIN, tree);
  }

  /** The tree in UTF-8; where a text has half a surrogate pair, in ASCII with escapes. */
  static Buffer bytes(JsonNode tree) {
    String text = write(tree);
    boolean isWhole = StandardCharsets.UTF_8.newEncoder().canEncode(text);
    return Buffer.buffer(isWhole ? text : written(ASCII, tree));
  }

  private static String written(ObjectWriter writer, JsonNode tree) {
    try {
      return writer.writeValueAsString(tree);
    } catch (JsonProcessingException unwritable) {
      throw RunlaneException.invariantViolation("an answer cannot be written").causedBy(unwritable);
    }
  }
}
