package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.QueuePolicy;
import dev.runlane.transport.DeliveryWorker;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Compiles and runs the README's example. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  private final Vertx vertx = Vertx.vertx();
  private final String servers = Brokers.shared();

  @AfterEach
  void close() {
    done(vertx.close());
  }

  private DeliveryWorker worker() {
    return new ScriptedWorker();
  }

  @Test
  void the_example_deploys_two_consumers() {
    String id = done(example());

    assertThat(id).isNotEmpty();
    done(vertx.undeploy(id));
  }

  @Test
  void the_readme_shows_this_example_and_the_golden_record() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/dev/runlane/transport/kafka/ReadmeTest.java"));
    String example = source.substring(
        source.indexOf("    // readme:begin\n") + "    // readme:begin\n".length(),
        source.indexOf("    // readme:end\n"));
    String readme = Files.readString(Path.of("README.md"));

    assertThat(readme).contains("```java\n" + example.replaceAll("(?m)^    ", "") + "```");
    try (InputStream golden = ReadmeTest.class.getResourceAsStream("/golden/wakeup-v1.json")) {
      assertThat(readme).contains(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private Future<String> example() {
    // readme:begin
    KafkaTransport transport = KafkaTransport.create(
        vertx,
        new KafkaTransportOptions()
            .setBootstrapServers(servers)
            .addQueue(new KafkaQueue(QueuePolicy.unbounded("mail"), "orders.mail"))
            .addQueue(new KafkaQueue(QueuePolicy.bounded("payments", 10), "orders.payments")
                .setKey(KafkaRecordKey.CONCURRENCY_KEY)) // what shares a key goes to one consumer
            .setCreateTopics(new KafkaTopicOptions().setPartitions(12).setReplicationFactor(1))
            .setConsumer(new KafkaConsumerOptions().setGroupId("orders")));

    return transport
        .start()
        .compose(started -> vertx.deployVerticle(
            () -> new KafkaConsumerVerticle(transport, worker()),
            new DeploymentOptions().setInstances(2)));
    // readme:end
  }
}
