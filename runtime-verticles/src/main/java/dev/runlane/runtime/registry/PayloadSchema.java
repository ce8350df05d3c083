package dev.runlane.runtime.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.TaskDescription;

/** What a task demands of its payloads beyond their Java type. */
@FunctionalInterface
interface PayloadSchema {
  /** Anything the type can hold. */
  PayloadSchema ANYTHING = (what, payload) -> {};

  /** Throws {@code ValidationFailed}, which names places and rules but quotes no value. */
  void require(String what, JsonNode payload);

  /**
   * The schema attached to a task, or {@link #ANYTHING}. Throws {@code ConfigurationInvalid} when it is
   * malformed or no validator of the right version is on the class path.
   */
  static PayloadSchema of(TaskDescription<?> task) {
    return task.payloadSchema().map(schema -> load(task.id(), schema)).orElse(ANYTHING);
  }

  static PayloadSchema load(String taskId, Json schema) {
    try {
      return JsonSchemaRules.parse(schema);
    } catch (RunlaneException malformed) {
      throw RunlaneException.configurationInvalid(
              "the payload schema of task %s %s", taskId, String.valueOf(malformed.getMessage()))
          .causedBy(malformed);
    } catch (LinkageError missing) {
      throw RunlaneException.configurationInvalid(
              "the payload schema of task %s needs com.networknt:json-schema-validator 2.x on the class path",
              taskId)
          .causedBy(missing);
    }
  }
}
