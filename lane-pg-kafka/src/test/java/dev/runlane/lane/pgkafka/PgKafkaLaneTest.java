package dev.runlane.lane.pgkafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneCapabilities;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.transport.kafka.KafkaQueue;
import dev.runlane.transport.kafka.KafkaTransport;
import dev.runlane.transport.kafka.KafkaTransportOptions;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PgKafkaLaneTest {
  private final Vertx vertx = Vertx.vertx();
  private final PgConnectOptions database = new PgConnectOptions();
  private final QueuePolicy payments = QueuePolicy.bounded("payments", 10);

  @AfterEach
  void close() throws TimeoutException {
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  @Test
  void it_is_durable_readable_and_named() {
    Lane lane = example();

    assertThat(lane.capabilities().productionDurable()).isTrue();
    assertThat(lane.capabilities().operatorReads()).isTrue();
    assertThat(lane.name()).isEqualTo("orders");
    assertThat(lane.transport().queues().orElseThrow()).containsExactly(payments);
  }

  @Test
  void it_says_the_same_as_a_lane_made_of_the_two_adapters() {
    KafkaTransportOptions kafka =
        new KafkaTransportOptions().addQueue(new KafkaQueue(payments, "orders.payments"));

    LaneCapabilities packaged =
        PgKafkaLane.create(vertx, new PgKafkaLaneOptions().setTransport(kafka)).capabilities();

    assertThat(packaged)
        .isEqualTo(Lanes.create(
                PgStorageAdapter.create(vertx, new PgStorageOptions()),
                KafkaTransport.create(vertx, kafka),
                new LaneOptions().setProductionDurable(true))
            .capabilities());
  }

  @Test
  void it_has_a_name_of_its_own_and_copies_what_it_is_made_of() {
    PgKafkaLaneOptions options = new PgKafkaLaneOptions();

    assertThat(new PgKafkaLaneOptions(options.setName("a").setName("postgres-kafka")).getName())
        .isEqualTo(PgKafkaLaneOptions.DEFAULT_NAME);
    options.getTransport().addQueue(new KafkaQueue(payments, "orders.payments"));
    assertThat(options.getTransport().getQueues()).isEmpty();
    assertInvalid(() -> options.setName(" "));
    assertInvalid(() -> PgKafkaLane.create(vertx, options));
  }

  private static void assertInvalid(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  @Test
  void the_readme_shows_this_example() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/dev/runlane/lane/pgkafka/PgKafkaLaneTest.java"));
    String example = source.substring(
        source.indexOf("    // readme:begin\n") + "    // readme:begin\n".length(),
        source.indexOf("    // readme:end\n"));

    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + example.replaceAll("(?m)^    ", "") + "```");
  }

  private PgKafkaLane example() {
    // readme:begin
    PgKafkaLane lane = PgKafkaLane.create(
        vertx,
        new PgKafkaLaneOptions()
            .setName("orders")
            .setStorage(new PgStorageOptions().setConnectOptions(database))
            .setTransport(new KafkaTransportOptions()
                .setBootstrapServers("kafka-1:9092,kafka-2:9092")
                .addQueue(new KafkaQueue(payments, "orders.payments"))));
    // readme:end
    return lane;
  }
}
