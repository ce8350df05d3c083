package dev.runlane.connector.store.memory;

import dev.runlane.connector.store.RecordSinkContract;
import dev.runlane.connector.store.StoreCase;

final class MemoryRecordSinkTest extends RecordSinkContract {
  @Override
  protected StoreCase scene() {
    MemoryConnectorStore store = new MemoryConnectorStore();
    return new StoreCase(store, store.records());
  }
}
