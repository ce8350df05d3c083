/** Data connectors as child processes. */
module dev.runlane.connector {
  requires transitive dev.runlane.contracts;
  requires transitive dev.runlane.postgres;
  requires transitive dev.runlane.runtime;
  requires com.fasterxml.jackson.core;
  requires transitive com.fasterxml.jackson.databind;
  requires transitive io.vertx.sql.client;
  requires transitive io.vertx.sql.client.pg;
  requires transitive io.vertx.web;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.runlane.connector.controller;
  exports dev.runlane.connector.controller.registry;
  exports dev.runlane.connector.http;
  exports dev.runlane.connector.process;
  exports dev.runlane.connector.process.line;
  exports dev.runlane.connector.process.os;
  exports dev.runlane.connector.protocol.gap;
  exports dev.runlane.connector.protocol.manifest;
  exports dev.runlane.connector.protocol.message;
  exports dev.runlane.connector.protocol.read;
  exports dev.runlane.connector.protocol.redact;
  exports dev.runlane.connector.protocol.start;
  exports dev.runlane.connector.protocol.text;
  exports dev.runlane.connector.run;
  exports dev.runlane.connector.run.request;
  exports dev.runlane.connector.schedule;
  exports dev.runlane.connector.server;
  exports dev.runlane.connector.store;
  exports dev.runlane.connector.store.grant;
  exports dev.runlane.connector.store.history;
  exports dev.runlane.connector.store.http;
  exports dev.runlane.connector.store.key;
  exports dev.runlane.connector.store.manifest;
  exports dev.runlane.connector.store.memory;
  exports dev.runlane.connector.store.pg;
  exports dev.runlane.connector.store.record;
  exports dev.runlane.connector.store.run;
  exports dev.runlane.connector.store.schedule;
  exports dev.runlane.connector.store.timeline;
}
