package dev.runlane.runtime.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;

/** What another process demands of the payloads of a task. */
public final class PublishedSchema {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private PublishedSchema() {}

  /**
   * Throws {@code ValidationFailed} for a text that is no JSON within the limits or breaks the task's schema. Without
   * the validator on the class path the schema is left to the task's own process, which checks it before the handler.
   */
  public static void require(RuntimeTask task, String payload, JsonLimits limits) {
    String what = "the payload of task " + task.taskId();
    Json json = JsonValues.parse(what, payload, limits);
    Json schema = task.payloadSchema();
    if (schema != null && hasValidator()) {
      PayloadSchema.load(task.taskId(), schema).require(what, tree(what, json));
    }
  }

  private static boolean hasValidator() {
    try {
      Class.forName(
              "com.networknt.schema.SchemaRegistry", false, PublishedSchema.class.getClassLoader())
          .getMethod("getSchema", JsonNode.class);
      return true;
    } catch (ReflectiveOperationException | LinkageError missing) {
      return false; // or one that reads another Jackson's nodes
    }
  }

  private static JsonNode tree(String what, Json json) {
    try {
      return MAPPER.readTree(json.text());
    } catch (JsonProcessingException malformed) {
      throw RunlaneException.validationFailed("%s is not JSON", what).causedBy(malformed);
    }
  }
}
