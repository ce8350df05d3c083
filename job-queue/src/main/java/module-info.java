/** Job queues and their workers, with jobs in Postgres or in memory. */
module dev.runlane.jobqueue {
  requires transitive dev.runlane.contracts;
  requires transitive dev.runlane.postgres;
  requires transitive com.fasterxml.jackson.databind;
  requires transitive io.vertx.sql.client;
  requires transitive io.vertx.sql.client.pg;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.runlane.jobs.memory;
  exports dev.runlane.jobs.postgres;
  exports dev.runlane.jobs.queue;
  exports dev.runlane.jobs.queue.job;
  exports dev.runlane.jobs.queue.observe;
  exports dev.runlane.jobs.queue.options;
  exports dev.runlane.jobs.queue.webhook;
}
