package dev.runlane.lane.pgkafka;

import static dev.runlane.options.OptionTypes.filled;
import static dev.runlane.options.OptionTypes.nested;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.transport.kafka.KafkaTransportOptions;
import io.vertx.core.json.JsonObject;

/** What a {@link PgKafkaLane} is made of. What is set and what is asked for are copies. */
public final class PgKafkaLaneOptions extends OptionValues<PgKafkaLaneOptions> {
  /** The name of the lane = {@value}. */
  public static final String DEFAULT_NAME = "postgres-kafka";

  private static final OptionSet OPTIONS = OptionSet.of("a Postgres and Kafka lane");
  private static final Option<String> NAME = OPTIONS.add("name", DEFAULT_NAME, filled());
  private static final Option<PgStorageOptions> STORAGE = OPTIONS.add(
      "storage", new PgStorageOptions(), nested(PgStorageOptions::new, PgStorageOptions::new));
  private static final Option<KafkaTransportOptions> TRANSPORT = OPTIONS.add(
      "transport",
      new KafkaTransportOptions(),
      nested(KafkaTransportOptions::new, KafkaTransportOptions::new));

  /** The defaults, without a queue. */
  public PgKafkaLaneOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public PgKafkaLaneOptions(PgKafkaLaneOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public PgKafkaLaneOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The name in diagnostics. */
  public String getName() {
    return get(NAME);
  }

  /** Sets the name. Throws {@code ConfigurationInvalid} when it is empty. */
  public PgKafkaLaneOptions setName(String name) {
    return set(NAME, name);
  }

  /** How Postgres is used. */
  public PgStorageOptions getStorage() {
    return get(STORAGE);
  }

  /** Sets how Postgres is used. */
  public PgKafkaLaneOptions setStorage(PgStorageOptions storage) {
    return set(STORAGE, storage);
  }

  /** How Kafka is used. */
  public KafkaTransportOptions getTransport() {
    return get(TRANSPORT);
  }

  /** Sets how Kafka is used; it needs a binding for each queue of the runtime. */
  public PgKafkaLaneOptions setTransport(KafkaTransportOptions transport) {
    return set(TRANSPORT, transport);
  }
}
