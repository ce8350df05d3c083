package dev.runlane.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.deser.std.JsonNodeDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ValueNode;
import java.io.IOException;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Reads JSON from outside as trees that keep every number as it was written. */
public final class ExactTrees {
  private ExactTrees() {}

  /**
   * A mapper for trees. It refuses what stands behind the value, and fails with a {@link JsonParseException}, as for
   * other malformed text, where a number with one digit before its point has an exponent beyond 2 000 000 000. So it
   * reads all that {@link JsonValues} takes, and also what is written of a tree that it has read.
   *
   * @param factory makes the parsers, whose limits and checks hold
   */
  public static JsonMapper mapper(JsonFactory factory) {
    return JsonMapper.builder(factory)
        .addModule(new SimpleModule("runlane-trees").addDeserializer(JsonNode.class, new Nodes()))
        .nodeFactory(new Numbers())
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
        .build();
  }

  private static final class Numbers extends JsonNodeFactory {
    private static final long serialVersionUID = 1;
    private static final long LARGEST_EXPONENT = 2_000_000_000;

    @Override
    public ValueNode numberNode(@Nullable BigDecimal value) {
      if (value != null
          && Math.abs((long) value.precision() - value.scale() - 1) > LARGEST_EXPONENT) {
        throw new NumberFormatException("an exponent beyond 2 000 000 000");
      }
      return super.numberNode(value);
    }
  }

  private static final class Nodes extends JsonDeserializer<JsonNode> {
    private final JsonDeserializer<? extends JsonNode> nodes =
        JsonNodeDeserializer.getDeserializer(JsonNode.class);

    @Override
    public JsonNode deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      try {
        return nodes.deserialize(parser, context);
      } catch (NumberFormatException beyond) { // Jackson leaves it as BigDecimal threw it
        throw new JsonParseException(parser, "a number has an exponent beyond 2 000 000 000");
      }
    }
  }
}
