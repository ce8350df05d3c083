package dev.runlane.connector.store;

final class MemoryRecordSinkTest extends RecordSinkContract {
  @Override
  protected StoreCase scene() {
    MemoryConnectorStore store = new MemoryConnectorStore();
    return new StoreCase(store, store.records());
  }
}
