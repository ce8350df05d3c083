package dev.runlane.runtime;

import dev.runlane.run.Identifiers;
import dev.runlane.run.Json;
import dev.runlane.run.RunKeys;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A task of a runtime.
 *
 * @param task the definition
 * @param codec its payloads
 * @param queue where its runs go unless a caller says otherwise
 */
record RegisteredTask<P>(Task<P> task, PayloadCodec<P> codec, TaskQueue queue) {
  String id() {
    return task.id();
  }

  /** The keys the definition gives a payload; throws {@code ValidationFailed} when one is malformed. */
  RunKeys keysOf(Json payload) {
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

  private @Nullable String key(
      String what, @Nullable Function<P, String> function, @Nullable P payload) {
    String key = function == null ? null : function.apply(payload);
    Identifiers.requireKeyOrNull(what + " of task " + id(), key);
    return key;
  }
}
