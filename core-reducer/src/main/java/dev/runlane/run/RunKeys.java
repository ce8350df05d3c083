package dev.runlane.run;

import org.jspecify.annotations.Nullable;

/**
 * The keys a run is created with; none of them ever changes.
 *
 * @param concurrencyKey the partition of a bounded queue; null: the one shared by all runs without
 * @param idempotencyKey at most one run per task and key is created while the key is owned
 * @param idempotencyTtl how long the key stays owned; null exactly when {@code idempotencyKey} is,
 *     and {@link ContractDefaults#IDEMPOTENCY_KEY_TTL} where a key is given without
 * @param singletonKey at most one run per task and key is active
 */
public record RunKeys(
    @Nullable String concurrencyKey,
    @Nullable String idempotencyKey,
    @Nullable IdempotencyTtl idempotencyTtl,
    @Nullable String singletonKey) {
  /** No key at all. */
  public static final RunKeys NONE = new RunKeys(null, null, null, null);

  /** Gives an idempotency key without a retention the default one, and drops one without a key. */
  public RunKeys {
    if (idempotencyKey == null) {
      idempotencyTtl = null;
    } else if (idempotencyTtl == null) {
      idempotencyTtl = IdempotencyTtl.of(ContractDefaults.IDEMPOTENCY_KEY_TTL);
    }
  }

  /** These keys with another concurrency key. */
  public RunKeys withConcurrencyKey(@Nullable String key) {
    return new RunKeys(key, idempotencyKey, idempotencyTtl, singletonKey);
  }

  /** These keys with an idempotency key that is retained as {@code ttl} says. */
  public RunKeys withIdempotencyKey(String key, IdempotencyTtl ttl) {
    return new RunKeys(concurrencyKey, key, ttl, singletonKey);
  }

  /** These keys without an idempotency key. */
  public RunKeys withoutIdempotencyKey() {
    return new RunKeys(concurrencyKey, null, null, singletonKey);
  }

  /** These keys with another singleton key. */
  public RunKeys withSingletonKey(@Nullable String key) {
    return new RunKeys(concurrencyKey, idempotencyKey, idempotencyTtl, key);
  }
}
