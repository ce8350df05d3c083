package dev.runlane.transport.kafka;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Randomness;
import dev.runlane.transport.DeliveryWorker;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.kafka.client.consumer.KafkaReadStream;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * While it is deployed, one consumer of the transport's group: takes wakeups, has its worker execute them and
 * commits each partition up to the first record that is not settled. Any number of instances, each with a
 * worker of its own, and of processes share the partitions. It is deployed whether Kafka can be reached or
 * not, and connects again by itself.
 *
 * <p>Undeploying it takes no more records, stops the worker and waits for what is under way, within the drain
 * timeout of the options, then commits and leaves the group, for which a broker that does not answer has 4 s.
 */
public final class KafkaConsumerVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaConsumerVerticle.class);

  private final KafkaTransport transport;
  private final DeliveryWorker worker;
  private @Nullable WakeupConsumer consumer;

  /** A verticle for one deployment, with the consumer options of the transport. */
  public KafkaConsumerVerticle(KafkaTransport transport, DeliveryWorker worker) {
    this.transport = transport;
    this.worker = worker;
  }

  /** One that does not start is never stopped, so the worker is stopped here then: nobody counts its slots any more. */
  @Override
  public Future<?> start() {
    return Future.<Void>succeededFuture()
        .compose(begin -> consume())
        .recover(failure -> worker.stop().transform(stopped -> Future.failedFuture(failure)));
  }

  private Future<Void> consume() {
    KafkaTransportOptions options = transport.options();
    KafkaConsumerOptions consumerOptions = options.getConsumer();
    Set<String> topics = topics(options, worker);
    ConcurrentMap<TopicPartition, Long> settled = new ConcurrentHashMap<>();
    ConcurrentMap<TopicPartition, Long> unread = new ConcurrentHashMap<>();
    return vertx
        .executeBlocking(
            () -> new SettlingConsumer( // resolves host names, so it may block
                ClientProperties.consumer(options, consumerOptions),
                settled,
                unread,
                consumerOptions.getCommitTimeout()),
            false)
        .recover(failure ->
            Future.failedFuture(KafkaFailures.constructing(failure, options.getBootstrapServers())))
        .compose(client -> {
          WakeupConsumer made = new WakeupConsumer(
              new WakeupConsumer.Parts(
                  worker,
                  consumerOptions,
                  new DeadLetters(transport),
                  transport.counters(),
                  transport.timers(),
                  Randomness.system()),
              KafkaReadStream.create(vertx, client),
              settled,
              unread,
              action -> context.runOnContext(turn -> action.run()));
          consumer = made;
          return made.start(topics);
        });
  }

  @Override
  public Future<?> stop() {
    if (consumer == null) {
      return worker.stop();
    }
    KafkaConsumerOptions options = transport.options().getConsumer();
    long bound =
        options.getDrainTimeout().toMillis() + 3 * options.getCommitTimeout().toMillis();
    return consumer.stop().timeout(bound, TimeUnit.MILLISECONDS).recover(failure -> {
      LOG.warn("a Kafka consumer did not leave its group in order", failure);
      return Future.succeededFuture();
    });
  }

  /** A wakeup that the worker would ignore is left to a consumer that serves its queue. */
  private static Set<String> topics(KafkaTransportOptions options, DeliveryWorker worker) {
    Set<String> topics = options.getQueues().stream()
        .filter(queue -> worker.queues().contains(queue.getPolicy().queue()))
        .map(KafkaQueue::getTopic)
        .collect(Collectors.toSet());
    if (topics.isEmpty()) {
      throw RunlaneException.configurationInvalid(
          "none of the queues %s of worker %s is bound to a topic",
          worker.queues(), worker.workerId());
    }
    return topics;
  }
}
