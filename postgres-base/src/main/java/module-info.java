/** What the Postgres modules share; for applications, the options alone. */
@SuppressWarnings("module") // those exported to are built later
module dev.runlane.postgres {
  requires transitive dev.runlane.contracts;
  requires io.netty.common;
  requires io.netty.transport;
  requires transitive io.vertx.sql.client;
  requires transitive io.vertx.sql.client.pg;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.runlane.postgres.options;
  exports dev.runlane.postgres to
      dev.runlane.connector,
      dev.runlane.jobqueue,
      dev.runlane.steps.sql,
      dev.runlane.storage.pg;
  exports dev.runlane.postgres.schema to
      dev.runlane.connector,
      dev.runlane.jobqueue,
      dev.runlane.steps.sql,
      dev.runlane.storage.pg;
  exports dev.runlane.postgres.statement to
      dev.runlane.connector,
      dev.runlane.jobqueue,
      dev.runlane.steps.sql,
      dev.runlane.storage.pg;
}
