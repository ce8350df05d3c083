package dev.runlane.benchmarks.subject;

import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Vertx;

/** What a measured process is observed by. */
interface Observation {
  /** By nothing. */
  Observation NONE = new Observation() {};

  /** The storage, whose statements may be observed. */
  default PgStorageAdapter storage(Vertx vertx, PgStorageOptions options) {
    return PgStorageAdapter.create(vertx, options);
  }

  /** Observes what is built. */
  default RunlaneBuilder observe(RunlaneBuilder builder) {
    return builder;
  }

  /** The runtime has started. */
  default void started(Vertx vertx, Runlane runlane) {}
}
