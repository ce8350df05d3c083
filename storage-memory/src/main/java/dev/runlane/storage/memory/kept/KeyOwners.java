package dev.runlane.storage.memory.kept;

import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which runs own the idempotency and singleton keys of one environment. */
public final class KeyOwners {
  private final Map<TaskKey, RunRecord> idempotency = new HashMap<>();
  private final Map<TaskKey, RunRecord> singletons = new HashMap<>();

  /** Fails with a conflict that names the owner when another run owns a key of {@code fresh}. */
  public void requireFree(RunRecord fresh, Instant now) {
    RunKeys keys = fresh.keys();
    RunRecord first = owner(idempotency, fresh, keys.idempotencyKey());
    if (first != null && isRetained(first, now)) {
      throw taken(StorageConflictKind.IDEMPOTENCY_KEY, first);
    }
    RunRecord singleton = owner(singletons, fresh, keys.singletonKey());
    if (singleton != null) {
      throw taken(StorageConflictKind.SINGLETON_KEY, singleton);
    }
  }

  /** The run owns its keys; an owner whose time is over is replaced. */
  public void take(RunRecord fresh) {
    put(idempotency, fresh, fresh.keys().idempotencyKey());
    put(singletons, fresh, fresh.keys().singletonKey());
  }

  /** Follows a run that may own keys; at its end it gives up what it does not retain. */
  public void follow(RunRecord run) {
    if (isOwner(idempotency, run, run.keys().idempotencyKey())) {
      if (keepsKeyAfterEnd(run)) {
        put(idempotency, run, run.keys().idempotencyKey());
      } else {
        remove(idempotency, run, run.keys().idempotencyKey());
      }
    }
    if (run.status().isTerminal() && isOwner(singletons, run, run.keys().singletonKey())) {
      remove(singletons, run, run.keys().singletonKey());
    }
  }

  /** The run that owns the idempotency key at {@code now}. */
  public Optional<RunRecord> ownerOf(TaskKey key, Instant now) {
    return Optional.ofNullable(idempotency.get(key)).filter(owner -> isRetained(owner, now));
  }

  /** Gives a terminal run's key up. Fails with a conflict while the owner is active. */
  public void reset(TaskKey key) {
    RunRecord owner = idempotency.get(key);
    if (owner != null && owner.status().isActive()) {
      throw taken(StorageConflictKind.IDEMPOTENCY_KEY, owner);
    }
    idempotency.remove(key);
  }

  /** Whether the run owns its idempotency key at {@code now}. */
  public boolean retains(RunRecord run, Instant now) {
    return isOwner(idempotency, run, run.keys().idempotencyKey()) && isRetained(run, now);
  }

  /** Forgets a run that is pruned. */
  public void forget(RunRecord run) {
    if (isOwner(idempotency, run, run.keys().idempotencyKey())) {
      remove(idempotency, run, run.keys().idempotencyKey());
    }
  }

  private static boolean keepsKeyAfterEnd(RunRecord run) {
    IdempotencyTtl ttl = run.keys().idempotencyTtl();
    return run.status().isActive()
        || (run.status() != RunStatus.FAILED && ttl != null && ttl.retention() != null);
  }

  private static boolean isRetained(RunRecord owner, Instant now) {
    IdempotencyTtl ttl = owner.keys().idempotencyTtl();
    Duration retention = ttl == null ? null : ttl.retention();
    return owner.status().isActive()
        || (retention != null
            && owner.createdAt().plus(retention).truncatedTo(ChronoUnit.MICROS).isAfter(now));
  }

  private static @Nullable RunRecord owner(
      Map<TaskKey, RunRecord> owners, RunRecord run, @Nullable String key) {
    return key == null ? null : owners.get(new TaskKey(run.taskId(), key));
  }

  private static boolean isOwner(
      Map<TaskKey, RunRecord> owners, RunRecord run, @Nullable String key) {
    RunRecord owner = owner(owners, run, key);
    return owner != null && owner.id().equals(run.id());
  }

  private static void put(Map<TaskKey, RunRecord> owners, RunRecord run, @Nullable String key) {
    if (key != null) {
      owners.put(new TaskKey(run.taskId(), key), run);
    }
  }

  private static void remove(Map<TaskKey, RunRecord> owners, RunRecord run, @Nullable String key) {
    if (key != null) {
      owners.remove(new TaskKey(run.taskId(), key));
    }
  }

  private static RunlaneException taken(StorageConflictKind kind, RunRecord owner) {
    return RunlaneException.conflict(
            kind, "run %s of task %s owns the key", owner.id(), owner.taskId())
        .withMeta(RunlaneException.OWNER_RUN_ID, owner.id());
  }
}
