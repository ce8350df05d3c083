package dev.runlane.example;

import dev.runlane.lane.pgkafka.PgKafkaLane;
import dev.runlane.lane.pgkafka.PgKafkaLaneOptions;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.transport.kafka.KafkaConsumerOptions;
import dev.runlane.transport.kafka.KafkaQueue;
import dev.runlane.transport.kafka.KafkaTopicOptions;
import dev.runlane.transport.kafka.KafkaTransportOptions;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;

/**
 * Where the processes of one start meet.
 *
 * @param postgresUri with its password
 * @param bootstrapServers of Kafka
 */
record KafkaSetting(String postgresUri, String bootstrapServers) {

  static KafkaSetting fromJson(JsonObject json) {
    return new KafkaSetting(json.getString("postgres"), json.getString("kafka"));
  }

  JsonObject toJson() {
    return new JsonObject().put("postgres", postgresUri).put("kafka", bootstrapServers);
  }

  /** A lane with a topic for each queue, made where there is none. */
  PgKafkaLane lane(Vertx vertx) {
    KafkaTransportOptions kafka = new KafkaTransportOptions()
        .setBootstrapServers(bootstrapServers)
        .setCreateTopics(new KafkaTopicOptions())
        .setConsumer(new KafkaConsumerOptions().setDrainTimeout(Shop.DRAIN));
    OrderTasks.queues()
        .forEach(queue -> kafka.addQueue(
            new KafkaQueue(queue.policy(), "shop." + queue.policy().queue())));
    return PgKafkaLane.create(
        vertx,
        new PgKafkaLaneOptions()
            .setStorage(
                new PgStorageOptions().setConnectOptions(PgConnectOptions.fromUri(postgresUri)))
            .setTransport(kafka));
  }
}
