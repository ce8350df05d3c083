package dev.runlane.conformance.example;

import dev.runlane.conformance.BatchStorageConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class MyBatchStorageSuite extends BatchStorageConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new MyStorageFixture();
  }
}
