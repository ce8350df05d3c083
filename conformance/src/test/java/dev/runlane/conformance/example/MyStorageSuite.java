package dev.runlane.conformance.example;

import dev.runlane.conformance.StorageConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class MyStorageSuite extends StorageConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new MyStorageFixture();
  }
}
