package dev.runlane.client.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.json.ExactTrees;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.Optional;

/** Bodies as trees that keep the value of every number. */
public final class ApiJson {
  private static final int MOST_DEPTH = 200;
  private static final int LONGEST_TEXT = 32 << 20;
  private static final int LONGEST_NUMBER = 10_000;
  private static final JsonMapper MAPPER = ExactTrees.mapper(JsonFactory.builder()
      .streamReadConstraints(StreamReadConstraints.builder()
          .maxNestingDepth(MOST_DEPTH)
          .maxStringLength(LONGEST_TEXT)
          .maxNumberLength(LONGEST_NUMBER)
          .maxNameLength(Integer.MAX_VALUE)
          .build())
      .build());
  private static final ObjectWriter ASCII = MAPPER.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII);

  private ApiJson() {}

  /** An empty object. */
  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** A caller's JSON. Throws {@code ValidationFailed}. */
  public static JsonNode tree(String what, String text) {
    try {
      JsonNode tree = MAPPER.readTree(text);
      if (!tree.isMissingNode()) {
        return tree;
      }
    } catch (JsonProcessingException malformed) {
      throw RunlaneException.validationFailed("%s is not JSON", what).causedBy(malformed);
    }
    throw RunlaneException.validationFailed("%s is not JSON", what);
  }

  /** The text of a tree, with escapes beyond ASCII, half surrogate pairs included. */
  public static Json text(JsonNode tree) {
    try {
      return Json.ofChecked(ASCII.writeValueAsString(tree));
    } catch (JsonProcessingException unwritable) {
      throw RunlaneException.invariantViolation("a body cannot be written").causedBy(unwritable);
    }
  }

  static Buffer bytes(JsonNode tree) {
    return Buffer.buffer(text(tree).text());
  }

  /** What came back, or empty where it is no JSON. */
  static Optional<JsonNode> read(Buffer bytes) {
    try {
      JsonNode tree = MAPPER.readTree(bytes.getBytes());
      return tree.isMissingNode() ? Optional.empty() : Optional.of(tree);
    } catch (IOException malformed) {
      return Optional.empty();
    }
  }
}
