package dev.runlane.storage.pg;

import dev.runlane.conformance.OperatorStoreConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class PgOperatorStoreConformanceTest extends OperatorStoreConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new PgStorageFixture(vertx);
  }
}
