package dev.runlane.transport.kafka;

import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Transports of a topic of their own, on a broker that is killed for an outage. What is refused is refused by
 * the broker, because it is too large.
 */
final class KafkaTransportFixture implements TransportFixture {
  private static final PublishWakeups.Attempt PROBE = new PublishWakeups.Attempt(
      "msg_probe",
      "tok_probe",
      new DeliveryMessage(new Environment("probe"), "run_probe", "probe", Instant.EPOCH, null));

  private final Vertx vertx;
  private final Supplier<EmbeddedKafka> broker;
  private final String name = "conformance-" + UUID.randomUUID();
  private final List<KafkaTransport> transports = new ArrayList<>();
  private boolean broken;

  KafkaTransportFixture(Vertx vertx, Supplier<EmbeddedKafka> broker) {
    this.vertx = vertx;
    this.broker = broker;
  }

  @Override
  public Future<TransportAdapter> open() {
    return blocking(() -> broker.get().bootstrapServers()).compose(servers -> {
      KafkaTransport transport = KafkaTransport.create(
          vertx,
          new KafkaTransportOptions()
              .setBootstrapServers(servers)
              .addQueue(new KafkaQueue(QueuePolicy.unbounded(queue()), name))
              .addQueue(new KafkaQueue(QueuePolicy.unbounded("probe"), name + "-probe"))
              .setCreateTopics(new KafkaTopicOptions().setPartitions(3))
              .setPublishTimeout(Duration.ofSeconds(9))
              .setConsumer(new KafkaConsumerOptions().setGroupId(name))
              .setProducerProperties(Oversizing.properties(name)));
      transports.add(transport);
      return transport.start().map(transport);
    });
  }

  @Override
  public String queue() {
    return "default";
  }

  @Override
  public Future<List<DeliveryMessage>> received() {
    return blocking(() -> {
      try (Topics topics = new Topics(broker.get().bootstrapServers())) {
        return topics.records(name).stream()
            .map(record -> WakeupRecords.read(record.value(), record.headers()))
            .toList();
      }
    });
  }

  @Override
  public Future<Void> rejectNext(int count) {
    Oversizing.next(name, count);
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> breakDown() {
    return blocking(() -> {
      broken = true;
      broker.get().kill();
      return null;
    });
  }

  @Override
  public Future<Void> restore() {
    return blocking(() -> {
          broker.get().restart();
          broken = false;
          return null;
        })
        .compose(up -> Future.join(transports.stream().map(this::published).toList()))
        .mapEmpty();
  }

  private Future<Void> published(KafkaTransport transport) {
    return transport
        .publishWakeups(new PublishWakeups(List.of(PROBE)))
        .<Void>mapEmpty()
        .recover(notYet ->
            vertx.timer(100, TimeUnit.MILLISECONDS).compose(again -> published(transport)));
  }

  @Override
  public Future<Void> close() {
    return Future.join(transports.stream().map(KafkaTransport::close).toList())
        .compose(closed -> blocking(() -> {
          if (broken) {
            broker.get().restart();
          }
          return null;
        }));
  }

  private <T> Future<T> blocking(Callable<T> work) {
    return vertx.executeBlocking(work, false);
  }
}
