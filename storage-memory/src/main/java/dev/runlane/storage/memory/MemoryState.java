package dev.runlane.storage.memory;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.Environment;
import dev.runlane.storage.memory.kept.EventIds;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What storages over the same data share. Every look and every change happens under one lock, held for
 * the one command only, so each command is atomic and callers take effect one after the other.
 */
final class MemoryState {
  private final Lock lock = new ReentrantLock();
  private final Map<String, Scope> scopes = new HashMap<>();
  private final EventIds eventIds = new EventIds();
  private final Cancellations cancellations = new Cancellations();
  private final Ids ids;

  MemoryState(Ids ids) {
    this.ids = ids;
  }

  Cancellations cancellations() {
    return cancellations;
  }

  /** A method of the contract: what {@code work} throws fails the future. */
  <T extends @Nullable Object> Future<T> call(String method, Supplier<T> work) {
    return AdapterCall.of(method, () -> Future.succeededFuture(work.get()));
  }

  /** The result of {@code work} on an environment, under the lock. */
  <T extends @Nullable Object> T in(Environment environment, Function<Scope, T> work) {
    return locked(() -> work.apply(scope(environment)));
  }

  /** Does {@code work} on an environment, under the lock. */
  @Nullable
  Void change(Environment environment, Consumer<Scope> work) {
    locked(() -> {
      work.accept(scope(environment));
      return null;
    });
    return null;
  }

  /** The result of {@code work} under the lock. */
  <T extends @Nullable Object> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** The data of an environment; only under the lock. */
  Scope scope(Environment environment) {
    return scopes.computeIfAbsent(environment.environmentKey(), key -> new Scope(eventIds, ids));
  }

  /** Tells of what a stored append asks for; not under the lock, because listeners may call back. */
  void announce(AppendRunEvents stored) {
    cancellations.announce(stored.environment(), stored.runId(), stored.events());
  }
}
