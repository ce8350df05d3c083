package dev.runlane.conformance;

import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import io.vertx.core.Future;
import java.util.Set;

/** A storage that can be opened with fewer capabilities than it has. */
public interface ReducibleStorageFixture extends StorageFixture {
  /** Opens a started adapter on this fixture's state that reports exactly these capabilities. */
  Future<StorageAdapter> openReporting(Set<StorageCapability> reported);
}
