package dev.runlane.console.contract;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.SchemaRepository;
import io.vertx.json.schema.Validator;
import io.vertx.openapi.contract.MediaType;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.contract.Parameter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("schemas that several threads use")
@DisplayNameGeneration(ReplaceUnderscores.class)
class SettledSchemasTest {
  private static final String SCHEMA = """
      {"type": "object", "required": ["name"],
        "properties": {
          "name": {"anyOf": [{"const": {"is": "fixed"}}, {"type": "string"}]},
          "tags": {"type": "array", "items": {"allOf": [{"type": "string"}, {"maxLength": 9}]}, "contains": {"const": "a"}},
          "pair": {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "boolean"}},
          "next": {"$ref": "#/$defs/next"}},
        "patternProperties": {"^x-": {"oneOf": [{"type": "null"}, {"type": "number"}]}},
        "additionalProperties": {"not": {"type": "object"}},
        "propertyNames": {"maxLength": 20},
        "if": {"required": ["tags"]}, "then": {"required": ["pair"]}, "else": {"minProperties": 1},
        "$defs": {"next": {"type": "object", "properties": {"next": {"$ref": "#/$defs/next"}, "id": {"type": "string"}},
          "additionalProperties": {"type": "integer"}}}}
      """;
  private static final List<String> INSTANCES = List.of(
      "{}",
      "{\"name\": {\"is\": \"fixed\"}, \"x-1\": null, \"x-2\": \"text\", \"more\": 1, \"less\": {}}",
      "{\"name\": \"a\", \"tags\": [\"a\", 1, \"longer than it may be\"], \"pair\": [1, true, 7]}",
      "{\"name\": \"a\", \"next\": {\"next\": {\"next\": {\"id\": 7, \"other\": \"text\"}}}}");

  private final JsonObject document = new JsonObject(SCHEMA).copy();
  private final SchemaRepository schemas = SchemaRepository.create(new JsonSchemaOptions()
      .setBaseUri("app://tested")
      .setDraft(Draft.DRAFT202012)
      .setOutputFormat(OutputFormat.Basic));

  @Test
  void are_not_changed_by_who_validates() {
    JsonSchema schema = JsonSchema.of(document);
    schemas.dereference(schema);

    Validator validator = new SettledSchemas(schemas).validator(schema);

    assertThat(changes(document, () -> validate(validator)))
        .as("changed objects")
        .isZero();
  }

  @Test
  void would_be_changed_as_they_were_written() {
    JsonSchema schema = JsonSchema.of(document);
    schemas.dereference(schema);
    Validator validator = schemas.validator(schema);

    assertThat(changes(document, () -> validate(validator)))
        .as(
            "objects that a newer version of the library may leave alone: then nothing has to be settled")
        .isPositive();
  }

  private static void validate(Validator validator) {
    INSTANCES.forEach(instance -> validator.validate(new JsonObject(instance)));
  }

  @Test
  void of_the_API_are_not_changed_by_any_request() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      JsonObject api = ApiDocument.load(vertx).await(60, SECONDS).json();
      OpenAPIContract contract = ApiDocument.contract(vertx, api).await(60, SECONDS);
      SchemaRepository known = contract.getSchemaRepository();
      List<JsonSchema> used =
          contract.operations().stream().flatMap(SettledSchemasTest::used).toList();
      JsonObject whole =
          (JsonObject) known.find(used.get(0).<String>get("__absolute_uri__").split("#")[0]);
      SettledSchemas settled = new SettledSchemas(known);
      List<Validator> validators = used.stream().map(settled::validator).toList();
      List<Object> requests = requests(api);

      assertThat(whole.fieldNames()).contains("paths", "components");
      assertThat(changes(
              whole,
              () ->
                  requests.forEach(request -> validators.forEach(each -> each.validate(request)))))
          .as("changed objects")
          .isZero();
    } finally {
      vertx.close().await(30, SECONDS);
    }
  }

  private static Stream<JsonSchema> used(Operation operation) {
    Stream<JsonSchema> body = operation.getRequestBody() == null
        ? Stream.empty()
        : operation.getRequestBody().getContent().values().stream().map(MediaType::getSchema);
    return Stream.concat(operation.getParameters().stream().map(Parameter::getSchema), body);
  }

  /** Values of each kind, and objects that have one of a kind under every name that the document knows. */
  private static List<Object> requests(JsonObject api) {
    Set<String> names = new TreeSet<>();
    values(api).stream()
        .filter(each -> each instanceof JsonObject object
            && object.getValue("properties") instanceof JsonObject)
        .forEach(
            each -> names.addAll(((JsonObject) each).getJsonObject("properties").fieldNames()));
    List<Object> plain = List.of("text", 7, true, new JsonArray().add("a:b").add(7));
    List<Object> requests = new ArrayList<>(plain);
    plain.forEach(value -> requests.add(allOf(names, value)));
    requests.add(allOf(names, allOf(names, "text")));
    requests.add(allOf(names, new JsonArray().add(allOf(names, "text"))));
    return requests;
  }

  private static JsonObject allOf(Set<String> names, Object value) {
    JsonObject object = new JsonObject();
    names.forEach(name -> object.put(name, value));
    return object;
  }

  /** How many values stand where others stood before. */
  private static int changes(JsonObject whole, Runnable action) {
    List<Object> before = values(whole);
    action.run();
    List<Object> after = values(whole);
    assertThat(after).hasSameSizeAs(before);
    int changes = 0;
    for (int place = 0; place < after.size(); place++) {
      changes += after.get(place) == before.get(place) ? 0 : 1;
    }
    return changes;
  }

  private static List<Object> values(JsonObject whole) {
    List<Object> all = new ArrayList<>();
    gather(whole, all, Collections.newSetFromMap(new IdentityHashMap<>()));
    return all;
  }

  private static void gather(Object value, List<Object> all, Set<Object> seen) {
    Collection<?> parts = List.of();
    if (value instanceof JsonObject object) {
      gather(object.getMap(), all, seen);
    } else if (value instanceof JsonArray array) {
      gather(array.getList(), all, seen);
    } else if (value instanceof Map<?, ?> map && seen.add(map)) {
      parts = map.values();
    } else if (value instanceof List<?> list && seen.add(list)) {
      parts = list;
    }
    all.addAll(parts);
    parts.forEach(each -> gather(each, all, seen));
  }
}
