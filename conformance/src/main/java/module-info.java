/** The suites that every storage, transport, lane and job store is held to. */
module dev.runlane.conformance {
  requires java.management;
  requires transitive dev.runlane.contracts;
  requires transitive io.vertx.testing.junit5;
  requires transitive org.assertj.core;
  requires static transitive org.jspecify;
  requires transitive org.junit.jupiter.api;
  requires transitive org.junit.jupiter.params;
  requires org.junit.platform.engine;
  requires org.junit.platform.launcher;

  exports dev.runlane.conformance;
  exports dev.runlane.conformance.broken;
  exports dev.runlane.conformance.drawn;
  exports dev.runlane.conformance.drawn.jobs;
  exports dev.runlane.conformance.drawn.storage;
  exports dev.runlane.conformance.fixture;
  exports dev.runlane.conformance.given;
  exports dev.runlane.conformance.jobs;
  exports dev.runlane.conformance.jobs.life;
  exports dev.runlane.conformance.jobs.queue;
  exports dev.runlane.conformance.jobs.view;
  exports dev.runlane.conformance.kit;
  exports dev.runlane.conformance.lane;
  exports dev.runlane.conformance.model;
  exports dev.runlane.conformance.model.jobs;
  exports dev.runlane.conformance.operator;
  exports dev.runlane.conformance.provider;
  exports dev.runlane.conformance.race;
  exports dev.runlane.conformance.race.jobs;
  exports dev.runlane.conformance.race.order;
  exports dev.runlane.conformance.race.steps;
  exports dev.runlane.conformance.steps;
  exports dev.runlane.conformance.steps.drawn;
  exports dev.runlane.conformance.storage;
  exports dev.runlane.conformance.storage.batch;
  exports dev.runlane.conformance.storage.lease;
  exports dev.runlane.conformance.storage.outbox;
  exports dev.runlane.conformance.storage.read;
  exports dev.runlane.conformance.storage.refuse;
  exports dev.runlane.conformance.storage.run;
  exports dev.runlane.conformance.storage.schedule;
  exports dev.runlane.conformance.storage.step;
  exports dev.runlane.conformance.transport;
  exports dev.runlane.conformance.transport.drawn;

  provides io.vertx.junit5.VertxExtensionParameterProvider with
      dev.runlane.conformance.kit.CaseVertxProvider;
}
