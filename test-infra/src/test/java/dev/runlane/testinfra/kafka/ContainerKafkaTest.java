package dev.runlane.testinfra.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runlane.testinfra.server.DockerEngine;
import org.junit.jupiter.api.Test;

class ContainerKafkaTest {

  @Test
  void without_an_engine_docker_is_not_available() {
    assumeThat(DockerEngine.isAnnounced()).as("this machine may have an engine").isFalse();

    assertThat(ContainerKafka.isAvailable()).isFalse();
  }

  @Test
  void a_broker_in_docker_takes_records() throws Exception {
    assumeThat(DockerEngine.isAnnounced() && ContainerKafka.isAvailable())
        .as("needs a Docker engine")
        .isTrue();

    try (KafkaServer broker = ContainerKafka.start()) {
      TestTopic topic = TestTopic.create(broker);
      topic.send("hello");

      assertThat(topic.read(1)).containsExactly("hello");
    }
  }
}
