package dev.runlane.transport.kafka;

import dev.runlane.testinfra.kafka.EmbeddedKafka;
import dev.runlane.testinfra.kafka.KafkaServers;

/** The brokers of this module's tests. */
final class Brokers {
  private Brokers() {}

  /** One that nobody takes down. */
  static String shared() {
    return KafkaServers.shared().bootstrapServers();
  }

  /** One that a test may kill, if it restarts it, and that lets consumers have short sessions. */
  static EmbeddedKafka mortal() {
    return Mortal.BROKER;
  }

  private static final class Mortal {
    static final EmbeddedKafka BROKER = start();

    private static EmbeddedKafka start() {
      EmbeddedKafka broker =
          EmbeddedKafka.builder().setting("group.min.session.timeout.ms", "500").start();
      Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "close mortal Kafka"));
      return broker;
    }
  }
}
