/** What storages, transports, job stores and step transports promise. */
module dev.runlane.contracts {
  requires transitive dev.runlane.run;
  requires transitive dev.runlane.timing;
  requires com.fasterxml.jackson.core;
  requires transitive com.fasterxml.jackson.databind;
  requires com.fasterxml.jackson.datatype.jdk8;
  requires com.fasterxml.jackson.datatype.jsr310;
  requires transitive io.vertx.core;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.runlane.adapter;
  exports dev.runlane.jobs;
  exports dev.runlane.jobs.store;
  exports dev.runlane.jobs.webhook;
  exports dev.runlane.json;
  exports dev.runlane.json.record;
  exports dev.runlane.lane;
  exports dev.runlane.operator;
  exports dev.runlane.operator.action;
  exports dev.runlane.operator.alert;
  exports dev.runlane.operator.depth;
  exports dev.runlane.operator.document;
  exports dev.runlane.operator.log;
  exports dev.runlane.operator.outbox;
  exports dev.runlane.operator.process;
  exports dev.runlane.operator.queue;
  exports dev.runlane.operator.schedule;
  exports dev.runlane.operator.step;
  exports dev.runlane.operator.tag;
  exports dev.runlane.operator.task;
  exports dev.runlane.operator.throughput;
  exports dev.runlane.operator.webhook;
  exports dev.runlane.options;
  exports dev.runlane.steps;
  exports dev.runlane.steps.delivery;
  exports dev.runlane.steps.result;
  exports dev.runlane.steps.task;
  exports dev.runlane.storage;
  exports dev.runlane.storage.limit;
  exports dev.runlane.storage.outbox;
  exports dev.runlane.storage.read;
  exports dev.runlane.storage.run;
  exports dev.runlane.storage.schedule;
  exports dev.runlane.storage.step;
  exports dev.runlane.transport;
  exports dev.runlane.webhook;
}
