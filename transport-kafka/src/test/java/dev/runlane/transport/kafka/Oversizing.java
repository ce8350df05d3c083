package dev.runlane.transport.kafka;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Makes as many records as a test wants larger than the broker takes, so that it is the broker that refuses
 * them. Which test it works for is a property of the producer.
 */
public final class Oversizing implements ProducerInterceptor<byte[], byte[]> {
  static final String OWNER = "test.oversizing.owner";

  private static final int TOO_LARGE = 1_500_000; // brokers take 1 MiB unless configured
  private static final Map<String, AtomicInteger> LEFT = new ConcurrentHashMap<>();

  private AtomicInteger left = new AtomicInteger();

  /** The properties of a producer whose next records {@link #next} may spoil. */
  static Map<String, String> properties(String owner) {
    return Map.of(
        "interceptor.classes",
        Oversizing.class.getName(),
        "max.request.size",
        String.valueOf(2 * TOO_LARGE),
        OWNER,
        owner);
  }

  static void next(String owner, int count) {
    left(owner).set(count);
  }

  private static AtomicInteger left(String owner) {
    return LEFT.computeIfAbsent(owner, name -> new AtomicInteger());
  }

  @Override
  public void configure(Map<String, ?> configs) {
    left = left(String.valueOf(configs.get(OWNER)));
  }

  @Override
  public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
    if (left.getAndUpdate(count -> Math.max(0, count - 1)) == 0) {
      return record;
    }
    return new ProducerRecord<>(
        record.topic(), record.partition(), record.key(), new byte[TOO_LARGE], record.headers());
  }

  @Override
  public void onAcknowledgement(RecordMetadata metadata, Exception exception) {}

  @Override
  public void close() {}
}
