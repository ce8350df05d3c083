package dev.runlane.lane.pgkafka;

import dev.runlane.conformance.fixture.LaneFixture;
import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.kafka.KafkaServers;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.kafka.KafkaQueue;
import dev.runlane.transport.kafka.KafkaTopicOptions;
import dev.runlane.transport.kafka.KafkaTransportOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/** A lane on a schema and a topic of its own. */
final class PgKafkaLaneFixture implements LaneFixture {
  private static final PostgresAddress DATABASE = PostgresServers.shared().createDatabase("lane");
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  private final Vertx vertx;
  private final String topic = "lane-" + UUID.randomUUID();
  private final PgKafkaLane lane;

  PgKafkaLaneFixture(Vertx vertx) {
    this.vertx = vertx;
    lane = PgKafkaLane.create(vertx, options(topic));
  }

  static PgKafkaLaneOptions options(String topic) {
    return new PgKafkaLaneOptions()
        .setStorage(new PgStorageOptions()
            .setSchema("lane_" + SCHEMAS.incrementAndGet())
            .setConnectOptions(PgConnectOptions.fromUri(DATABASE.toUri())))
        .setTransport(new KafkaTransportOptions()
            .setBootstrapServers(KafkaServers.shared().bootstrapServers())
            .addQueue(new KafkaQueue(QueuePolicy.unbounded("default"), topic))
            .setCreateTopics(new KafkaTopicOptions().setPartitions(1)));
  }

  @Override
  public Future<Lane> open() {
    return lane.start().map(lane);
  }

  @Override
  public Lane compose(
      @Nullable StorageAdapter storage, @Nullable TransportAdapter transport, LaneOptions given) {
    return Lanes.create(storage, transport, given);
  }

  @Override
  public String queue() {
    return "default";
  }

  @Override
  public Future<List<DeliveryMessage>> received() {
    return vertx.executeBlocking(() -> {
      try (KafkaConsumer<String, byte[]> reader = new KafkaConsumer<>(
          Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, KafkaServers.shared().bootstrapServers()),
          new StringDeserializer(),
          new ByteArrayDeserializer())) {
        TopicPartition only = new TopicPartition(topic, 0);
        reader.assign(List.of(only));
        reader.seekToBeginning(List.of(only));
        long end = reader.endOffsets(List.of(only)).get(only);
        List<DeliveryMessage> messages = new ArrayList<>();
        while (reader.position(only) < end) {
          reader
              .poll(Duration.ofMillis(200))
              .forEach(record -> messages.add(message(record.value())));
        }
        return messages;
      }
    });
  }

  private static DeliveryMessage message(byte[] value) {
    JsonObject body = new JsonObject(new String(value, StandardCharsets.UTF_8));
    return new DeliveryMessage(
        new Environment(body.getString("environment")),
        body.getString("runId"),
        body.getString("queue"),
        Instant.parse(body.getString("requestedAt")),
        null);
  }

  @Override
  public Future<Void> close() {
    return lane.close();
  }
}
