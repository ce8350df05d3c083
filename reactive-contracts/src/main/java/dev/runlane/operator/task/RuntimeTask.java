package dev.runlane.operator.task;

import dev.runlane.run.Json;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a process says of a task that it has.
 *
 * @param taskId the task
 * @param queue where its runs go unless a caller says otherwise
 * @param hasHandler whether the process works on its runs; else it only triggers them
 * @param payloadType the type of its payloads in the process's own language
 * @param payloadSchema the JSON Schema of its payloads, at most {@link #MOST_SCHEMA_BYTES} of UTF-8; null where there
 *     is none
 * @param keys the keys that the task's code makes of a payload, without doubles, in the order of {@link TaskKey}
 * @param rules what the task's code says of each trigger
 */
public record RuntimeTask(
    String taskId,
    String queue,
    boolean hasHandler,
    String payloadType,
    @Nullable Json payloadSchema,
    List<TaskKey> keys,
    TriggerRules rules) {
  /** Most bytes of a schema = 64 KiB. */
  public static final int MOST_SCHEMA_BYTES = 64 << 10;

  /** Copies the keys, in order and without doubles, and refuses null. */
  public RuntimeTask {
    Objects.requireNonNull(taskId);
    Objects.requireNonNull(queue);
    Objects.requireNonNull(payloadType);
    keys = keys.stream().distinct().sorted().toList();
    Objects.requireNonNull(rules);
  }

  /** One of which nothing is said of its triggers, as by processes of earlier releases. */
  public RuntimeTask(
      String taskId,
      String queue,
      boolean hasHandler,
      String payloadType,
      @Nullable Json payloadSchema,
      List<TaskKey> keys) {
    this(taskId, queue, hasHandler, payloadType, payloadSchema, keys, TriggerRules.UNTOLD);
  }
}
