package dev.runlane.runtime.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.AbsoluteIri;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.PathType;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;

/** A JSON Schema. References reach the schema itself and the official drafts, never the network or a file. */
final class JsonSchemaRules implements PayloadSchema {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int NAMED = 10;

  /** Digits before or behind the point beyond which dividing a number takes a thread for long. */
  private static final int MOST_DIGITS = 1_000;

  private final Schema schema;
  private final boolean divides; // whether it asks for multiples of something

  private JsonSchemaRules(Schema schema, boolean divides) {
    this.schema = schema;
    this.divides = divides;
  }

  /** Draft 2020-12 unless the schema names another. Throws {@code ConfigurationInvalid} when it is malformed. */
  static JsonSchemaRules parse(Json text) {
    try {
      JsonNode node = MAPPER.readTree(text.text());
      SpecificationVersion draft = draft(node);
      SchemaRegistry registry = SchemaRegistry.withDefaultDialect(draft, builder -> builder
          .schemaLoader(loader -> loader.allow(JsonSchemaRules::isOfficial))
          .schemaRegistryConfig(
              SchemaRegistryConfig.builder().pathType(PathType.LEGACY).build()));
      requireValid(registry.getSchema(SchemaLocation.of(draft.getDialectId())), node);
      Schema schema = registry.getSchema(node);
      schema.initializeValidators();
      return new JsonSchemaRules(schema, node.findValue("multipleOf") != null);
    } catch (JsonProcessingException | SchemaException malformed) {
      throw RunlaneException.configurationInvalid("is not a JSON Schema").causedBy(malformed);
    }
  }

  @Override
  public void require(String what, JsonNode payload) {
    if (divides) {
      requireDivisible(what, payload);
    }
    List<Error> faults;
    try {
      faults = schema.validate(payload);
    } catch (ArithmeticException | NumberFormatException outOfRange) {
      throw RunlaneException.validationFailed(
              "%s cannot be compared with its schema: a number is out of range", what)
          .causedBy(outOfRange);
    }
    if (!faults.isEmpty()) {
      throw RunlaneException.validationFailed("%s breaks its schema: %s", what, named(faults));
    }
  }

  /** Nine characters, 1e1000000, are a number of a million digits to who divides it. */
  private static void requireDivisible(String what, JsonNode node) {
    node.forEach(child -> requireDivisible(what, child));
    if (node.isBigDecimal()) {
      BigDecimal number = node.decimalValue();
      long before = (long) number.precision() - number.scale();
      if (before > MOST_DIGITS || number.scale() > MOST_DIGITS) {
        throw RunlaneException.validationFailed(
            "%s has a number of more than %d digits, which its schema cannot divide",
            what, MOST_DIGITS);
      }
    }
  }

  /** A draft that is not an official one would be read from where its name says. */
  private static SpecificationVersion draft(JsonNode schema) {
    JsonNode named = schema.get("$schema");
    return named == null
        ? SpecificationVersion.DRAFT_2020_12
        : SpecificationVersion.fromDialectId(named.asText())
            .orElseThrow(() -> RunlaneException.configurationInvalid(
                "is not a JSON Schema of draft 4, 6, 7, 2019-09 or 2020-12"));
  }

  private static void requireValid(Schema metaSchema, JsonNode schema) {
    List<Error> faults = metaSchema.validate(schema);
    if (!faults.isEmpty()) {
      throw RunlaneException.configurationInvalid("is not a JSON Schema: %s", named(faults));
    }
  }

  private static String named(List<Error> faults) {
    return faults.stream()
        .limit(NAMED)
        .map(fault -> fault.getKeyword() + " at " + fault.getInstanceLocation())
        .collect(Collectors.joining(", "));
  }

  /** What begins like this is in the validator's own jar, or nowhere: nothing is fetched. */
  private static boolean isOfficial(AbsoluteIri iri) {
    String text = iri.toString();
    return text.startsWith("https://json-schema.org/draft/")
        || text.startsWith("http://json-schema.org/draft-");
  }
}
