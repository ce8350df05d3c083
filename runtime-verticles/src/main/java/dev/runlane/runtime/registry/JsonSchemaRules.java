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
import java.util.List;
import java.util.stream.Collectors;

/** A JSON Schema. References reach the schema itself and the official drafts, never the network or a file. */
final class JsonSchemaRules implements PayloadSchema {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int NAMED = 10;

  private final Schema schema;

  private JsonSchemaRules(Schema schema) {
    this.schema = schema;
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
      return new JsonSchemaRules(schema);
    } catch (JsonProcessingException | SchemaException malformed) {
      throw RunlaneException.configurationInvalid("is not a JSON Schema").causedBy(malformed);
    }
  }

  @Override
  public void require(String what, JsonNode payload) {
    List<Error> faults = schema.validate(payload);
    if (!faults.isEmpty()) {
      throw RunlaneException.validationFailed("%s breaks its schema: %s", what, named(faults));
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
