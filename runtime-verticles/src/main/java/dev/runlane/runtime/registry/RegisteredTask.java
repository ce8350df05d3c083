package dev.runlane.runtime.registry;

import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Json;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunTags;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A task of a runtime.
 *
 * @param task the definition, a {@link Task} where this runtime has a handler
 * @param codec its payloads
 * @param queue where its runs go unless a caller says otherwise
 */
public record RegisteredTask<P>(TaskDescription<P> task, PayloadCodec<P> codec, TaskQueue queue) {
  public String id() {
    return task.id();
  }

  /** Whether runs of it are worked on in this process. */
  public boolean hasHandler() {
    return task instanceof Task;
  }

  /** What other processes are told of it. A schema that is too large to be told is left out. */
  public RuntimeTask described() {
    List<TaskKey> keys = new ArrayList<>();
    task.idempotencyKey().ifPresent(made -> keys.add(TaskKey.IDEMPOTENCY));
    task.singletonKey().ifPresent(made -> keys.add(TaskKey.SINGLETON));
    task.concurrencyKey().ifPresent(made -> keys.add(TaskKey.CONCURRENCY));
    Json schema = task.payloadSchema()
        .filter(json ->
            json.text().getBytes(StandardCharsets.UTF_8).length <= RuntimeTask.MOST_SCHEMA_BYTES)
        .orElse(null);
    return new RuntimeTask(
        id(),
        queue.name(),
        hasHandler(),
        task.payloadType().getName(),
        schema,
        keys,
        task.triggerRules());
  }

  /** The handler; throws {@code TaskNotFound} where this process only triggers. */
  public Task.AttemptBody<P> body() {
    if (task instanceof Task<P> handled) {
      return handled.body();
    }
    throw noHandler();
  }

  /** Throws {@code TaskNotFound} where this process only triggers. */
  public void requireHandler() {
    if (!hasHandler()) {
      throw noHandler();
    }
  }

  private RunlaneException noHandler() {
    return RunlaneException.of(
        ErrorCode.TASK_NOT_FOUND, "task %s has no handler in this runtime", id());
  }

  /** The keys the definition gives a payload; throws {@code ValidationFailed} when one is malformed. */
  public RunKeys keysOf(Json payload) {
    if (task.idempotencyKey().isEmpty()
        && task.singletonKey().isEmpty()
        && task.concurrencyKey().isEmpty()) {
      return RunKeys.NONE; // without reading the payload
    }
    P value = codec.decode(payload);
    RunKeys keys = RunKeys.NONE
        .withConcurrencyKey(key("concurrencyKey", task.concurrencyKey().orElse(null), value))
        .withSingletonKey(key("singletonKey", task.singletonKey().orElse(null), value));
    String idempotencyKey = key("idempotencyKey", task.idempotencyKey().orElse(null), value);
    return idempotencyKey == null
        ? keys
        : keys.withIdempotencyKey(idempotencyKey, task.idempotencyTtl());
  }

  /** The tags the definition gives a payload; throws {@code ValidationFailed} when one is malformed. */
  public Map<String, String> tagsOf(Json payload) {
    if (task.tags().isEmpty()) {
      return Map.of(); // without reading the payload
    }
    P value = codec.decode(payload);
    Map<String, String> tags = new TreeMap<>();
    task.tags().forEach((name, function) -> {
      String made = call("tag " + name, function, value);
      if (made != null) {
        tags.put(name, made);
      }
    });
    RunTags.require(tags);
    return tags;
  }

  private @Nullable String key(String what, @Nullable Function<P, String> function, P payload) {
    String key = function == null ? null : call(what, function, payload);
    Identifiers.requireKeyOrNull(what + " of task " + id(), key);
    return key;
  }

  private @Nullable String call(
      String what, Function<P, ? extends @Nullable String> function, P payload) {
    try {
      return function.apply(payload);
    } catch (RuntimeException thrown) {
      throw RunlaneException.validationFailed(
              "task %s makes no %s of this payload: %s",
              id(), what, thrown.getClass().getSimpleName())
          .causedBy(thrown);
    }
  }
}
