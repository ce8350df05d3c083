package dev.runlane.runtime.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.AbsoluteIri;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaException;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.SpecVersionDetector;
import com.networknt.schema.ValidationMessage;
import com.networknt.schema.resource.AllowSchemaLoader;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.util.Collection;
import java.util.stream.Collectors;

/** A JSON Schema. References reach the schema itself and the official drafts, never the network or a file. */
final class JsonSchemaRules implements PayloadSchema {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int NAMED = 10;

  private final JsonSchema schema;

  private JsonSchemaRules(JsonSchema schema) {
    this.schema = schema;
  }

  /** Draft 2020-12 unless the schema names another. Throws {@code ConfigurationInvalid} when it is malformed. */
  static JsonSchemaRules parse(Json text) {
    try {
      JsonNode node = MAPPER.readTree(text.text());
      SpecVersion.VersionFlag draft = SpecVersionDetector.detectOptionalVersion(node, true)
          .orElse(SpecVersion.VersionFlag.V202012);
      JsonSchemaFactory factory = JsonSchemaFactory.getInstance(
          draft,
          builder -> builder.schemaLoaders(
              loaders -> loaders.add(new AllowSchemaLoader(JsonSchemaRules::isBundled))));
      requireValid(factory.getSchema(SchemaLocation.of(draft.getId())), node);
      JsonSchema schema = factory.getSchema(node);
      schema.initializeValidators();
      return new JsonSchemaRules(schema);
    } catch (JsonProcessingException | JsonSchemaException malformed) {
      throw RunlaneException.configurationInvalid("is not a JSON Schema").causedBy(malformed);
    }
  }

  @Override
  public void require(String what, JsonNode payload) {
    Collection<ValidationMessage> faults = schema.validate(payload);
    if (!faults.isEmpty()) {
      throw RunlaneException.validationFailed("%s breaks its schema: %s", what, named(faults));
    }
  }

  private static void requireValid(JsonSchema metaSchema, JsonNode schema) {
    Collection<ValidationMessage> faults = metaSchema.validate(schema);
    if (!faults.isEmpty()) {
      throw RunlaneException.configurationInvalid("is not a JSON Schema: %s", named(faults));
    }
  }

  private static String named(Collection<ValidationMessage> faults) {
    return faults.stream()
        .limit(NAMED)
        .map(fault -> fault.getType() + " at " + fault.getInstanceLocation())
        .collect(Collectors.joining(", "));
  }

  private static boolean isBundled(AbsoluteIri iri) {
    return iri.toString().startsWith("classpath:");
  }
}
