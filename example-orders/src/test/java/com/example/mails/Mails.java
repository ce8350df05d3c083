package com.example.mails;

import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.postgres.options.PgAddress;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** The jobs of a database. */
final class Mails {
  private Mails() {}

  static Future<Jobs> jobs(
      Vertx vertx, String address) { // postgresql://user:password@host/database
    JobStore store = PgJobStore.create(
        vertx, new PgJobStoreOptions().setConnectOptions(PgAddress.parse(address)));
    return store.connect().map(connected -> Jobs.create(vertx, store)); // makes the tables
  }
}
