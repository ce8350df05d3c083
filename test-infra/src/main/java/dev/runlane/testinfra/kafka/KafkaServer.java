package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.server.TestServer;

/** A real Kafka broker, or several, without encryption or passwords. */
public interface KafkaServer extends TestServer {

  /** What a client is given as {@code bootstrap.servers}; the same for as long as this is not closed. */
  String bootstrapServers();
}
