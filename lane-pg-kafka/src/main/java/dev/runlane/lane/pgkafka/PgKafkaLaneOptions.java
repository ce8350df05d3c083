package dev.runlane.lane.pgkafka;

import dev.runlane.lane.LaneOptions;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.transport.kafka.KafkaTransportOptions;

/** What a {@link PgKafkaLane} is made of. What is set and what is asked for are copies. */
public final class PgKafkaLaneOptions {
  /** The name of the lane = {@value}. */
  public static final String DEFAULT_NAME = "postgres-kafka";

  private String name = DEFAULT_NAME;
  private PgStorageOptions storage = new PgStorageOptions();
  private KafkaTransportOptions transport = new KafkaTransportOptions();

  /** The defaults, without a queue. */
  public PgKafkaLaneOptions() {}

  /** A copy. */
  public PgKafkaLaneOptions(PgKafkaLaneOptions other) {
    name = other.name;
    storage = other.getStorage();
    transport = other.getTransport();
  }

  /** The name in diagnostics. */
  public String getName() {
    return name;
  }

  /** Sets the name. Throws {@code ConfigurationInvalid} when it is empty. */
  public PgKafkaLaneOptions setName(String name) {
    this.name = new LaneOptions().setName(name).getName();
    return this;
  }

  /** How Postgres is used. */
  public PgStorageOptions getStorage() {
    return new PgStorageOptions(storage);
  }

  /** Sets how Postgres is used. */
  public PgKafkaLaneOptions setStorage(PgStorageOptions storage) {
    this.storage = new PgStorageOptions(storage);
    return this;
  }

  /** How Kafka is used. */
  public KafkaTransportOptions getTransport() {
    return new KafkaTransportOptions(transport);
  }

  /** Sets how Kafka is used; it needs a binding for each queue of the runtime. */
  public PgKafkaLaneOptions setTransport(KafkaTransportOptions transport) {
    this.transport = new KafkaTransportOptions(transport);
    return this;
  }
}
