package dev.runlane.storage.pg;

import dev.runlane.conformance.CancellationSourceConformanceSuite;
import dev.runlane.conformance.fixture.StorageFixture;
import io.vertx.core.Vertx;

class PgCancellationSourceConformanceTest extends CancellationSourceConformanceSuite {
  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new PgStorageFixture(vertx);
  }
}
