package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.done;

import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.timing.Backoff;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;

/** One topic, its group, and consumers that come and go. */
final class ConsumerScene implements AutoCloseable {
  static final int PARTITIONS = 4;

  /** So long that a busy machine meets it: what is published again is there twice. */
  static final Duration PUBLISH_TIMEOUT = Duration.ofSeconds(50);

  final Vertx vertx = Vertx.vertx();
  final String topic = "consumer-" + UUID.randomUUID();
  final Topics topics;
  private final String servers;
  private final Map<String, String> properties;
  private final List<KafkaTransport> transports = new ArrayList<>();
  private final KafkaTransport publisher;

  ConsumerScene(String servers) {
    this(servers, servers, Map.of());
  }

  /**
   * One whose transports use another listener of the broker than the test.
   *
   * @param servers of the test itself
   * @param secured of transports
   * @param properties of their clients
   */
  ConsumerScene(String servers, String secured, Map<String, String> properties) {
    this.servers = secured;
    this.properties = properties;
    topics = new Topics(servers);
    publisher = transport(options());
  }

  /** Consumers of a test are impatient, but for what it is about. */
  KafkaConsumerOptions options() {
    return new KafkaConsumerOptions()
        .setGroupId(topic)
        .setPollTimeout(Duration.ofMillis(20))
        .setCommitInterval(Duration.ofMillis(50))
        .setBackoff(Backoff.exponential(Duration.ofMillis(20), Duration.ofMillis(200)));
  }

  KafkaTransport transport(KafkaConsumerOptions consumer) {
    return transport(consumer, queue());
  }

  KafkaTransport transport(KafkaConsumerOptions consumer, KafkaQueue queue) {
    return transport(consumer, queue, PUBLISH_TIMEOUT);
  }

  /** One that does not wait long for brokers. */
  KafkaTransport impatient(KafkaConsumerOptions consumer) {
    return transport(consumer, queue(), Duration.ofSeconds(6));
  }

  private KafkaQueue queue() {
    return new KafkaQueue(QueuePolicy.unbounded("mail"), topic);
  }

  private KafkaTransport transport(
      KafkaConsumerOptions consumer, KafkaQueue queue, Duration publishTimeout) {
    KafkaTransport transport = KafkaTransport.create(
        vertx,
        new KafkaTransportOptions()
            .setBootstrapServers(servers)
            .setProperties(properties)
            .addQueue(queue)
            .setCreateTopics(new KafkaTopicOptions().setPartitions(PARTITIONS))
            .setPublishTimeout(publishTimeout)
            .setConsumer(consumer));
    transports.add(transport);
    done(transport.start());
    return transport;
  }

  /** Deploys one consumer and waits until it is a member that has its part of the partitions. */
  String join(KafkaTransport transport, ScriptedWorker worker, int members) {
    String id = done(vertx.deployVerticle(new KafkaConsumerVerticle(transport, worker)));
    until("the group is settled", () -> isSettled(members));
    return id;
  }

  boolean isSettled(int members) {
    var assigned = topics.members(topic);
    return assigned.size() == members
        && assigned.values().stream().mapToInt(each -> each.size()).sum() == PARTITIONS
        && assigned.values().stream().noneMatch(each -> each.isEmpty());
  }

  void publish(String... runIds) {
    publish(List.of(runIds));
  }

  /** Publishes until all are taken. */
  void publish(List<String> runIds) {
    List<PublishWakeups.Attempt> attempts = runIds.stream()
        .map(runId -> new PublishWakeups.Attempt(
            "msg_" + runId,
            "tok_1",
            new DeliveryMessage(new Environment("test"), runId, "mail", Instant.EPOCH, null)))
        .toList();
    until("everything is published", () -> publisher
        .publishWakeups(new PublishWakeups(attempts))
        .transform((outcomes, failure) -> io.vertx.core.Future.succeededFuture(
            failure == null && outcomes.stream().allMatch(each -> each.isPublished())))
        .await());
  }

  static List<String> runs(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(number -> prefix + number).toList();
  }

  void until(String what, BooleanSupplier condition) {
    Awaiting.until(vertx, what, condition);
  }

  void untilNoLag() {
    until("everything is committed", () -> topics.lag(topic, topic) == 0);
  }

  long committed(int partition) {
    return topics.committed(topic).getOrDefault(new TopicPartition(topic, partition), 0L);
  }

  @Override
  public void close() {
    for (String id : List.copyOf(vertx.deploymentIDs())) {
      done(vertx.undeploy(id));
    }
    transports.forEach(transport -> done(transport.close()));
    topics.close();
    done(vertx.close());
  }
}
