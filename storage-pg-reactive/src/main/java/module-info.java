/** Runs in Postgres, and wakeups over NOTIFY. */
module dev.runlane.storage.pg {
  requires transitive dev.runlane.contracts;
  requires transitive dev.runlane.postgres;
  requires transitive io.vertx.sql.client;
  requires transitive io.vertx.sql.client.pg;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.runlane.storage.pg;
}
