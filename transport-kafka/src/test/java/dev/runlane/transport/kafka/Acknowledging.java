package dev.runlane.transport.kafka;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Has a producer's own thread do what a test wants when a record was acknowledged, such as throw an error. Which test
 * it works for is a property of the producer.
 */
public final class Acknowledging implements ProducerInterceptor<byte[], byte[]> {
  private static final String OWNER = "test.acknowledging.owner";
  private static final Map<String, Queue<Runnable>> NEXT = new ConcurrentHashMap<>();

  private Queue<Runnable> next = new ConcurrentLinkedQueue<>();

  /** The properties of a producer whose thread does what {@link #next} is given. */
  static Map<String, String> properties(String owner) {
    return Map.of("interceptor.classes", Acknowledging.class.getName(), OWNER, owner);
  }

  /** At the next acknowledgement that has no action yet. */
  static void next(String owner, Runnable action) {
    of(owner).add(action);
  }

  private static Queue<Runnable> of(String owner) {
    return NEXT.computeIfAbsent(owner, name -> new ConcurrentLinkedQueue<>());
  }

  @Override
  public void configure(Map<String, ?> configs) {
    next = of(String.valueOf(configs.get(OWNER)));
  }

  @Override
  public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
    return record;
  }

  @Override
  public void onAcknowledgement(RecordMetadata metadata, Exception exception) {
    Runnable action = next.poll();
    if (action != null) {
      action.run();
    }
  }

  @Override
  public void close() {}
}
