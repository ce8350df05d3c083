package dev.runlane.storage.memory;

import dev.runlane.conformance.fixture.ReducibleStorageFixture;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Storages in memory for one case, as they are or behind something that breaks them. */
final class MemoryStorageFixture implements ReducibleStorageFixture {
  private final MemoryStorage storage =
      new MemoryStorage(new Ids(Clock.system(), Randomness.system()), Clock.system());
  private final UnaryOperator<StorageAdapter> wrapping;

  MemoryStorageFixture(UnaryOperator<StorageAdapter> wrapping) {
    this.wrapping = wrapping;
  }

  @Override
  public Future<StorageAdapter> open() {
    return Future.succeededFuture(wrapping.apply(storage));
  }

  @Override
  public Future<StorageAdapter> openReporting(Set<StorageCapability> reported) {
    return Future.succeededFuture(wrapping.apply(storage.reporting(reported)));
  }

  @Override
  public Future<Void> close() {
    return Future.succeededFuture();
  }
}
