package dev.runlane.transport.kafka;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The producer of a transport. Its own thread ends with an error, as for want of memory, and nothing that it has or
 * gets is answered from then on; or it refuses all that it gets, as after a failure to authenticate. It must be given
 * up then, and another one is made with the next records.
 */
final class ReplaceableProducer {
  private static final Logger LOG = LoggerFactory.getLogger(ReplaceableProducer.class);

  /** The name of the thread that closes a producer that was given up. */
  static final String CLOSING = "runlane-kafka-producer-close";

  private final Supplier<Producer<byte[], byte[]>> factory;
  private final AtomicReference<@Nullable Producer<byte[], byte[]>> current;
  private volatile @Nullable Thread closing; // the one that was given up last
  private volatile boolean closed;

  /** Makes the first producer; throws what the factory throws. */
  ReplaceableProducer(Supplier<Producer<byte[], byte[]>> factory) {
    this.factory = factory;
    current = new AtomicReference<>(factory.get());
  }

  /**
   * The producer. Blocks while a new one is made, which resolves host names, and throws as Kafka's client does. For one
   * thread.
   */
  Producer<byte[], byte[]> get() {
    Producer<byte[], byte[]> known = current.get();
    if (known != null) {
      return known;
    }
    if (closed) {
      throw new KafkaException("the producer is closed");
    }
    Producer<byte[], byte[]> made = factory.get();
    current.set(made);
    if (closed && current.compareAndSet(made, null)) {
      made.close(Duration.ZERO);
    }
    return made;
  }

  /**
   * Gives up a producer, unless it is another's turn already. Where its thread does not end but hangs, closing it hangs
   * as well, so that has a thread of its own; while there is one, the next producer is kept, whatever it does.
   *
   * @param did why, in a few words, for the log
   */
  void giveUp(Producer<byte[], byte[]> dead, String did) {
    Thread earlier = closing;
    if ((earlier != null && earlier.isAlive()) || !current.compareAndSet(dead, null)) {
      return;
    }
    LOG.error("a Kafka producer {}, and is replaced", did);
    Thread thread = new Thread(() -> dead.close(Duration.ZERO), CLOSING);
    thread.setDaemon(true);
    closing = thread;
    thread.start();
  }

  /** Waits within the timeout for what is on its way; no producer is made after this. */
  void close(Duration timeout) {
    closed = true;
    Producer<byte[], byte[]> open = current.getAndSet(null);
    if (open != null) {
      open.close(timeout);
    }
  }
}
