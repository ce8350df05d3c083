package dev.runlane.testinfra.kafka;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.kafka.KafkaContainer;

/** A broker in Docker, by Testcontainers, which is optional: touch this class only where Docker is announced. */
final class ContainerKafka {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerKafka.class);
  private static final String IMAGE = "apache/kafka:4.3.1";

  private ContainerKafka() {}

  /** Whether Testcontainers is on the class path and an engine answers. */
  static boolean isAvailable() {
    try {
      LOG.debug("{} is there", KafkaContainer.class); // the module, not only Testcontainers' core
      return DockerClientFactory.instance().isDockerAvailable();
    } catch (NoClassDefFoundError absent) {
      LOG.info("Docker is announced, but testcontainers-kafka is not on the class path");
      return false;
    }
  }

  static KafkaServer start() {
    KafkaContainer container = new KafkaContainer(IMAGE);
    container.withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false");
    container.start();
    String address = container.getBootstrapServers();
    return new GivenKafka(address, IMAGE + " in Docker at " + address, container::stop);
  }
}
