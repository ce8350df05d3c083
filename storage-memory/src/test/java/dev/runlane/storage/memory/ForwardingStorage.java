package dev.runlane.storage.memory;

import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;

/** Does what another storage does; subclasses break one thing. */
class ForwardingStorage extends ForwardingStorageAdapter {
  final StorageAdapter real;

  ForwardingStorage(StorageAdapter real) {
    super(real);
    this.real = real;
  }
}
