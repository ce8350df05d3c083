package dev.runlane.connector.store;

import dev.runlane.connector.store.memory.MemoryConnectorStore;

final class MemoryRunStoreTest extends RunStoreContract {
  @Override
  protected StoreCase scene() {
    MemoryConnectorStore store = new MemoryConnectorStore();
    return new StoreCase(store, store.records());
  }
}
