/** Durable runs: tasks and queues, the roles that run them, and reading and operating on runs. */
module dev.runlane.runtime {
  requires transitive dev.runlane.contracts;
  requires transitive com.fasterxml.jackson.databind;
  requires static com.networknt.schema;
  requires static io.vertx.mail.client;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.runlane.runtime;
  exports dev.runlane.runtime.alert;
  exports dev.runlane.runtime.host;
  exports dev.runlane.runtime.maintenance;
  exports dev.runlane.runtime.observe;
  exports dev.runlane.runtime.operate;
  exports dev.runlane.runtime.publish;
  exports dev.runlane.runtime.remote;
  exports dev.runlane.runtime.schedule;
  exports dev.runlane.runtime.sweep;
  exports dev.runlane.runtime.task;
  exports dev.runlane.runtime.webhook;
  exports dev.runlane.runtime.worker;

  uses dev.runlane.runtime.RunlaneApplication;
}
