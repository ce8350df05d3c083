package dev.runlane.transport.kafka;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.ProcessWide;
import dev.runlane.timing.Timers;
import dev.runlane.transport.DeliverySource;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.PartitionLag;
import dev.runlane.transport.PublishChecks;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.TransportProbe;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakeups over Kafka, a topic a queue. A published wakeup is on all replicas in sync; each goes to one
 * consumer of the group, which acknowledges it by committing its offset, see {@link KafkaConsumerVerticle}.
 * May be called from any context and completes on the caller's.
 *
 * <p>The topics belong to one environment: a consumer acknowledges the wakeups of others as {@code
 * not_found}.
 */
public final class KafkaTransport implements TransportAdapter, DeliverySource {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaTransport.class);

  private static final int PROBE_MILLIS = 2_000;

  /**
   * No {@code orderedDelivery}: Kafka keeps the order of a partition, but a queue has many, and a wakeup that
   * failed is published again behind later ones.
   */
  private static final Set<TransportCapability> CAPABILITIES = Collections.unmodifiableSet(
      EnumSet.of(TransportCapability.DURABLE_DELIVERY, TransportCapability.MESSAGE_GROUPING));

  private final Vertx vertx;
  private final KafkaTransportOptions options;
  private final Timers timers;
  private final Set<String> bound;
  private final AtomicReference<WakeupPublisher> publisher = new AtomicReference<>();
  private final DeliveryCounters counters = new DeliveryCounters();

  private KafkaTransport(Vertx vertx, KafkaTransportOptions options) {
    this.vertx = vertx;
    this.options = options;
    timers = Timers.of(vertx);
    bound = options.getQueues().stream()
        .map(queue -> queue.getPolicy().queue())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** A transport that has not started. Throws {@code ConfigurationInvalid} when no queue is bound. */
  public static KafkaTransport create(Vertx vertx, KafkaTransportOptions options) {
    if (options.getQueues().isEmpty()) {
      throw RunlaneException.configurationInvalid("a Kafka transport needs at least one queue");
    }
    return new KafkaTransport(vertx, new KafkaTransportOptions(options));
  }

  @Override
  public Set<TransportCapability> capabilities() {
    return CAPABILITIES;
  }

  @Override
  public Optional<List<QueuePolicy>> queues() {
    return Optional.of(options.getQueues().stream().map(KafkaQueue::getPolicy).toList());
  }

  /**
   * Connects, and looks whether the topics are there or makes them. Fails with {@code TransportUnavailable}
   * when Kafka does not answer in time, unless it need not, and with {@code ConfigurationInvalid} when a topic
   * is missing that is not to be made, when Kafka refuses to show or make one, when its client refuses its
   * properties, or when it speaks TLS and {@code security.protocol} says that it does not, or the other way round.
   */
  @Override
  public Future<Void> start() {
    return AdapterCall.of(
        "start", () -> publisher.get() != null ? Future.succeededFuture() : open());
  }

  private Future<Void> open() {
    return vertx
        .<Clients>executeBlocking(this::clients, false)
        .recover(failure ->
            Future.failedFuture(KafkaFailures.constructing(failure, options.getBootstrapServers())))
        .compose(clients -> prepare(clients)
            .timeout(options.getStartTimeout().toMillis(), TimeUnit.MILLISECONDS)
            .recover(failure -> explained(KafkaFailures.unwrapped(failure)).compose(this::tolerate))
            .eventually(() -> close(clients.admin()))
            .transform((ready, failure) -> failure == null
                ? publishOver(clients.publisher())
                : clients.publisher().close().transform(closed -> Future.failedFuture(failure))));
  }

  private Future<RunlaneException> explained(Throwable failure) {
    RunlaneException known = KafkaFailures.starting(failure, options.getBootstrapServers());
    return KafkaFailures.isTimeout(failure)
        ? vertx.executeBlocking(() -> new ListenerProtocol(options).explained(known), false)
        : Future.succeededFuture(known);
  }

  /** Makes the clients, which resolves host names and so may block. */
  private Clients clients() {
    new ListenerProtocol(options).check();
    Admin admin = Admin.create(ClientProperties.admin(options));
    try {
      ReplaceableProducer producer = new ReplaceableProducer(() -> new KafkaProducer<>(
          ClientProperties.producer(options),
          new ByteArraySerializer(),
          new ByteArraySerializer()));
      WorkerExecutor sender = ProcessWide.make(
          vertx,
          () -> vertx.createSharedWorkerExecutor(
              "runlane-kafka-publisher-" + System.identityHashCode(this), 1));
      return new Clients(
          new WakeupPublisher(
              vertx, sender, producer, options, new MissingTopics(timers, options), timers),
          admin);
    } catch (RuntimeException failure) {
      admin.close(Duration.ZERO);
      throw failure;
    }
  }

  private Future<Void> prepare(Clients clients) {
    Future<Void> ready = new TopicSetup(clients.admin(), vertx.getOrCreateContext(), options).run();
    for (KafkaQueue queue : options.getQueues()) {
      ready = ready.compose(before -> clients.publisher().warmUp(queue.getTopic()));
    }
    return ready;
  }

  private Future<Void> tolerate(RunlaneException failure) {
    if (options.isBrokerRequired() || failure.code() != ErrorCode.TRANSPORT_UNAVAILABLE) {
      return Future.failedFuture(failure);
    }
    LOG.warn(
        "Kafka cannot be reached at {}; the transport starts all the same and publishes once it can",
        options.getBootstrapServers(),
        failure);
    return Future.succeededFuture();
  }

  private Future<Void> publishOver(WakeupPublisher opened) {
    return publisher.compareAndSet(null, opened) ? Future.succeededFuture() : opened.close();
  }

  private Future<Void> close(Admin admin) {
    return vertx
        .<Void>executeBlocking(
            () -> {
              admin.close(Duration.ZERO);
              return null;
            },
            false)
        .onFailure(failure -> LOG.warn("Kafka's admin client did not close", failure));
  }

  /** Waits for wakeups on their way, within the close timeout. */
  @Override
  public Future<Void> close() {
    WakeupPublisher open = publisher.getAndSet(null);
    return open == null ? Future.succeededFuture() : AdapterCall.of("close", open::close);
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    return AdapterCall.of("publishWakeups", () -> {
      PublishChecks.check(command);
      PublishChecks.checkBound(command, bound);
      return requireOpen().publish(command);
    });
  }

  @Override
  public Optional<TransportProbe> probe() {
    return Optional.of(() -> AdapterCall.of("probe", () -> {
      requireOpen();
      return vertx
          .<Void>executeBlocking(this::queryBroker, false)
          .recover(failure -> Future.failedFuture(KafkaFailures.outage(
              KafkaFailures.unwrapped(failure), "probe", options.getBootstrapServers())));
    }));
  }

  /** With a client of its own, since one that has known the cluster answers from memory for minutes. */
  private @Nullable Void queryBroker() throws ExecutionException, InterruptedException {
    Admin admin = Admin.create(ClientProperties.admin(options));
    try {
      admin
          .describeCluster(new DescribeClusterOptions().timeoutMs(PROBE_MILLIS))
          .clusterId()
          .get();
      return null;
    } finally {
      admin.close(Duration.ZERO);
    }
  }

  @Override
  public Optional<DeliverySource> deliveries() {
    return Optional.of(this);
  }

  /** A {@link KafkaConsumerVerticle} with the options of this transport. */
  @Override
  public Deployable consumer(DeliveryWorker worker) {
    return new KafkaConsumerVerticle(this, worker);
  }

  /** What the consumers of this transport have done with wakeups since it was made. */
  public KafkaDeliveryCounts deliveryCounts() {
    return counters.read();
  }

  /**
   * What the consumers of this transport know of each partition that is or was one of theirs, by topic and number. A
   * partition has one consumer, so the lags of all processes add up; what nobody consumes is in none of them.
   */
  public List<KafkaPartitionCounts> partitionCounts() {
    return counters.partitions(options.getQueues().stream()
        .collect(
            Collectors.toMap(KafkaQueue::getTopic, queue -> queue.getPolicy().queue())));
  }

  @Override
  public List<PartitionLag> lags() {
    String group = options.getConsumer().getGroupId();
    List<PartitionLag> known = new ArrayList<>();
    for (KafkaPartitionCounts each : partitionCounts()) {
      each.lag()
          .ifPresent(records -> known.add(new PartitionLag(
              each.topic(), group, each.partition(), each.queue(), Math.max(0, records))));
    }
    return List.copyOf(known);
  }

  KafkaTransportOptions options() {
    return options;
  }

  DeliveryCounters counters() {
    return counters;
  }

  Timers timers() {
    return timers;
  }

  /** Writes a dead letter. */
  Future<Void> send(ProducerRecord<byte[], byte[]> record) {
    return AdapterCall.of("send", () -> requireOpen().send(record));
  }

  private WakeupPublisher requireOpen() {
    WakeupPublisher open = publisher.get();
    if (open == null) {
      throw RunlaneException.unavailable(
          ErrorCode.TRANSPORT_UNAVAILABLE, null, "the transport is not started, or closed");
    }
    return open;
  }

  private record Clients(WakeupPublisher publisher, Admin admin) {}
}
