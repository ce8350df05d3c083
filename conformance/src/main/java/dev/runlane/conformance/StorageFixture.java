package dev.runlane.conformance;

import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Future;

/** A storage without any data in it, for one case. */
public interface StorageFixture extends Fixture {
  /**
   * Opens a started adapter on this fixture's state, which is empty at first. Called again, it opens
   * another adapter on the same state; suites do so only for storages that do not report {@code
   * processLocalState} or that do report {@code durableState}.
   */
  Future<StorageAdapter> open();
}
