package dev.runlane.testinfra.kafka;

/**
 * A server that this module does not start and stop by itself.
 *
 * @param release gives it back
 */
record GivenKafka(String bootstrapServers, String origin, Runnable release) implements KafkaServer {

  @Override
  public void close() {
    release.run();
  }
}
