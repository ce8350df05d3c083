package dev.runlane.transport.kafka;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Has a producer's own thread do what a test wants when a record was acknowledged, such as throw an error, and notes
 * where records were to go. Which test it works for is a property of the producer.
 */
public final class Intercepting implements ProducerInterceptor<byte[], byte[]> {
  private static final String OWNER = "test.intercepting.owner";
  private static final Map<String, Queue<Runnable>> NEXT = new ConcurrentHashMap<>();
  private static final Map<String, Queue<String>> TOPICS = new ConcurrentHashMap<>();

  private Queue<Runnable> next = new ConcurrentLinkedQueue<>();
  private Queue<String> topics = new ConcurrentLinkedQueue<>();

  /** The properties of a producer whose thread does what {@link #next} is given. */
  static Map<String, String> properties(String owner) {
    return Map.of("interceptor.classes", Intercepting.class.getName(), OWNER, owner);
  }

  /** At the next acknowledgement that has no action yet. */
  static void next(String owner, Runnable action) {
    of(owner).add(action);
  }

  /** The topics of all records that the producer was given, before it looked for any. */
  static Queue<String> topics(String owner) {
    return TOPICS.computeIfAbsent(owner, name -> new ConcurrentLinkedQueue<>());
  }

  private static Queue<Runnable> of(String owner) {
    return NEXT.computeIfAbsent(owner, name -> new ConcurrentLinkedQueue<>());
  }

  @Override
  public void configure(Map<String, ?> configs) {
    next = of(String.valueOf(configs.get(OWNER)));
    topics = topics(String.valueOf(configs.get(OWNER)));
  }

  @Override
  public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
    topics.add(record.topic());
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
