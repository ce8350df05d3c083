package dev.runlane.testinfra.kafka;

/** A real Kafka broker, or several, without encryption or passwords. */
public interface KafkaServer extends AutoCloseable {

  /** What a client is given as {@code bootstrap.servers}; the same for as long as this is not closed. */
  String bootstrapServers();

  /** Says in a few words where this server comes from. */
  String origin();

  /** Gives back what this object holds: an own server stops. A second call does nothing. */
  @Override
  void close();
}
