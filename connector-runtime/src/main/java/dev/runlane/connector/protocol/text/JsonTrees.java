package dev.runlane.connector.protocol.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runlane.json.ExactTrees;
import dev.runlane.run.Json;

/** The parsers of this package: strict, bounded, exact in numbers. */
public final class JsonTrees {
  /** Longest number in characters; a longer one is malformed. */
  private static final int MOST_NUMBER_CHARACTERS = 10_000;

  /**
   * Reads JSON that came through the parsers of this package and was stored, and so refuses nothing that they take. A
   * number has room for the dot, the sign and the digits of an exponent that it may be written with.
   */
  public static final JsonMapper STORED = ExactTrees.mapper(new JsonFactoryBuilder()
      .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
      .streamReadConstraints(StreamReadConstraints.builder()
          .maxStringLength(Integer.MAX_VALUE)
          .maxNameLength(Integer.MAX_VALUE)
          .maxNumberLength(2 * MOST_NUMBER_CHARACTERS)
          .build())
      .build());

  private JsonTrees() {}

  /** A factory of parsers that refuse what is over the limits, and a name that occurs twice in one object. */
  public static JsonFactory factory(ReaderLimits limits) {
    return new JsonFactoryBuilder()
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES) // names come from outside
        .streamReadConstraints(StreamReadConstraints.builder()
            .maxNestingDepth(limits.maxDepth())
            .maxTokenCount(limits.maxTokens())
            .maxStringLength(Integer.MAX_VALUE) // the line's own length bounds them
            .maxNameLength(Integer.MAX_VALUE)
            .maxNumberLength(MOST_NUMBER_CHARACTERS)
            .build())
        .build();
  }

  /** The node as text, minified and storable. */
  public static Json json(JsonNode node) {
    return StorableJson.of(node.toString());
  }
}
