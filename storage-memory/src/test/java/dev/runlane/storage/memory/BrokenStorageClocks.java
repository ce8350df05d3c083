package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageClock;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Storages that show a wrong clock. */
final class BrokenStorageClocks {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "shows the first time for ever",
          real -> showing(real, () -> Instant.EPOCH),
          "StorageClock.it_is_read_anew_each_time"),
      that(
          "shows a clock that goes back",
          real -> {
            AtomicLong reads = new AtomicLong();
            return showing(real, () -> Instant.ofEpochSecond(-reads.incrementAndGet()));
          },
          "StorageClock.it_does_not_go_back_while_nobody_sets_it"));

  private BrokenStorageClocks() {}

  private static StorageAdapter showing(StorageAdapter real, Supplier<Instant> time) {
    return new ForwardingStorage(real) {
      @Override
      public Optional<StorageClock> clock() {
        return Optional.of(() -> Future.succeededFuture(time.get()));
      }
    };
  }
}
