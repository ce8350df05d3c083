package dev.runlane.console.contract;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.SchemaRepository;
import io.vertx.json.schema.Validator;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes validators that any thread may use, and several at once. vertx-json-schema 5.0.8 changes the schemas that it
 * uses: where it meets one for the first time, it puts a schema in place of the object that it is written as. Here
 * that is done for all of them ahead, so that a validator finds nothing to change.
 */
final class SettledSchemas {
  private final SchemaRepository schemas;
  private final Set<Object> settled = Collections.newSetFromMap(new IdentityHashMap<>());

  SettledSchemas(SchemaRepository schemas) {
    this.schemas = schemas;
  }

  /** A validator of a schema; to be made before another thread has one of the same repository. */
  Validator validator(JsonSchema schema) {
    settle(schema);
    refersTo(
        schema.get("__absolute_uri__")); // by which the repository may know another object for it
    return schemas.validator(schema);
  }

  private void settle(@Nullable Object value) {
    if (value instanceof JsonObject object && settled.add(object.getMap())) {
      object.getMap().replaceAll((name, each) -> schemaOf(each));
      object.getMap().values().forEach(this::settle);
      refersTo(object.getValue("__absolute_ref__", object.getValue("$ref")));
    } else if (value instanceof JsonArray array) {
      settle(array.getList());
    } else if (value instanceof List<?> && settled.add(value)) {
      List<Object> values = elements(value);
      values.replaceAll(SettledSchemas::schemaOf);
      values.forEach(this::settle);
    }
  }

  /** As a validator would have it. */
  private static @Nullable Object schemaOf(@Nullable Object value) {
    if (value instanceof JsonObject object) {
      return value instanceof JsonSchema ? value : JsonSchema.of(object);
    }
    return value instanceof Map<?, ?> ? JsonSchema.of(new JsonObject(members(value))) : value;
  }

  @SuppressWarnings("unchecked") // what JSON has
  private static List<Object> elements(Object list) {
    return (List<Object>) list;
  }

  @SuppressWarnings("unchecked") // what JSON has
  private static Map<String, Object> members(Object map) {
    return (Map<String, Object>) map;
  }

  /** What stands elsewhere is found there by the validator too. */
  private void refersTo(@Nullable Object address) {
    if (address instanceof String text) {
      JsonSchema there = schemas.find(text);
      if (there != null) {
        settle(there);
      }
    }
  }
}
