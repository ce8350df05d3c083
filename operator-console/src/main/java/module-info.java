/** The HTTP API for operators. */
module dev.runlane.console {
  requires transitive dev.runlane.contracts;
  requires transitive dev.runlane.jobqueue;
  requires transitive dev.runlane.runtime;
  requires com.fasterxml.jackson.core;
  requires transitive com.fasterxml.jackson.databind;
  requires io.vertx.auth.common;
  requires io.vertx.auth.oauth2;
  requires io.vertx.openapi;
  requires io.vertx.jsonschema;
  requires transitive io.vertx.web;
  requires org.yaml.snakeyaml;
  requires static transitive org.jspecify;
  requires org.slf4j;

  exports dev.runlane.console;
  exports dev.runlane.console.access;
}
