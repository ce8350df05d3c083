/** Remote steps over two SQL tables. */
module dev.runlane.steps.sql {
  requires transitive dev.runlane.contracts;
  requires transitive dev.runlane.postgres;
  requires com.fasterxml.jackson.core;
  requires transitive io.vertx.sql.client;
  requires static io.vertx.sql.client.mysql;
  requires transitive io.vertx.sql.client.pg;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.runlane.steps.sql;
  exports dev.runlane.steps.sql.worker;
}
