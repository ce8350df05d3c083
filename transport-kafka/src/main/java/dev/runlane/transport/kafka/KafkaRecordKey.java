package dev.runlane.transport.kafka;

import java.util.Arrays;
import java.util.Optional;

/** What the records of a queue are keyed by; records of one key go to one partition. */
public enum KafkaRecordKey {
  /** The run's id: wakeups spread evenly, those of one run stay in one partition. */
  RUN_ID("runId"),
  /** The run's concurrency key, so that one consumer gets what shares a key; the run's id where it has none. */
  CONCURRENCY_KEY("concurrencyKey");

  private final String value;

  KafkaRecordKey(String value) {
    this.value = value;
  }

  /** The string in options. */
  public String value() {
    return value;
  }

  /** The key with this string value, or empty when there is none. */
  public static Optional<KafkaRecordKey> ofValue(String value) {
    return Arrays.stream(values()).filter(key -> key.value.equals(value)).findFirst();
  }
}
