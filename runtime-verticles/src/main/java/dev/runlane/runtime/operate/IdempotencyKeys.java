package dev.runlane.runtime.operate;

import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.storage.run.ResetIdempotencyKey;
import io.vertx.core.Future;

/** Ownership of idempotency keys, for operators. */
public final class IdempotencyKeys {
  private final RuntimeContext context;

  /** Those of one runtime, which makes it. */
  public IdempotencyKeys(RuntimeContext context) {
    this.context = context;
  }

  /**
   * Takes a key away from the terminal run that retains it, so that the next trigger with it creates a run.
   * An unknown key is no failure. Fails with a conflict of kind {@code IDEMPOTENCY_KEY} while the owner is
   * active, with {@code CapabilityUnsupported} where keys are not enforced, and with {@code
   * ValidationFailed} for a malformed key. It is recorded nowhere; {@link Operator#resetKey} is for people.
   */
  public Future<Void> reset(TaskDescription<?> task, String key) {
    return Future.<Void>succeededFuture().compose(start -> context
        .storage()
        .resetIdempotencyKey(
            new ResetIdempotencyKey(context.environment(), task.id(), key, context.eventTime())));
  }
}
