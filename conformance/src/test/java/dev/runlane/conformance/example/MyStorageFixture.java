package dev.runlane.conformance.example;

import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/** The storage of the README's example, on fresh state for each case. */
final class MyStorageFixture implements StorageFixture {
  private final List<StorageAdapter> opened = new ArrayList<>();

  @Override
  public Future<StorageAdapter> open() {
    StorageAdapter storage = MyStorage.connect();
    opened.add(storage);
    return storage.start().map(storage);
  }

  @Override
  public Future<Void> close() {
    return Future.join(opened.stream().map(StorageAdapter::close).toList()).mapEmpty();
  }
}
