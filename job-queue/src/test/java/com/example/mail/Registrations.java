package com.example.mail;

import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.queue.JobQueue;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;

/** Stores a user and the mail that greets them in one transaction. */
public final class Registrations {
  private final Pool pool;
  private final PgJobStore store;
  private final JobQueue mails;

  public Registrations(Pool pool, PgJobStore store, JobQueue mails) {
    this.pool = pool;
    this.store = store;
    this.mails = mails;
  }

  public Future<Void> register(String address) {
    return pool.withTransaction(connection -> connection
            .preparedQuery("INSERT INTO users (address) VALUES ($1)")
            .execute(Tuple.of(address))
            .compose(stored -> mails
                .inTransaction(store.on(connection))
                .add("welcome", new MailVerticle.Mail(address, "hello"))))
        .onSuccess(committed -> mails.wake())
        .mapEmpty();
  }
}
