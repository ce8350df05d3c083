package dev.runlane.benchmarks.subject;

import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Vertx;

/** How a measured process is put together. */
interface Assembly {
  /** On Postgres and the NOTIFY lane, observed by nothing. */
  Assembly PLAIN = new Assembly() {};

  /** The storage, whose statements may be observed. */
  default PgStorageAdapter storage(Vertx vertx, PgStorageOptions options) {
    return PgStorageAdapter.create(vertx, options);
  }

  /** What carries wakeups of {@code queue}. */
  default TransportAdapter transport(
      Vertx vertx, PgStorageAdapter storage, TaskQueue queue, ProcessSettings settings) {
    return storage.notifyTransport();
  }

  /** Observes what is built. */
  default RunlaneBuilder observe(RunlaneBuilder builder) {
    return builder;
  }

  /** The runtime has started. */
  default void started(Vertx vertx, Runlane runlane) {}
}
