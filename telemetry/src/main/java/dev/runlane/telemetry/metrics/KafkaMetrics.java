package dev.runlane.telemetry.metrics;

import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import dev.runlane.transport.IgnoredReason;
import dev.runlane.transport.kafka.KafkaDeliveryCounts;
import dev.runlane.transport.kafka.KafkaPartitionCounts;
import dev.runlane.transport.kafka.KafkaTransport;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * What the Kafka consumers of a process do, as meters: what they took, what came of it, and by partition how far they
 * are behind and what they gave up. A partition has one consumer, so the sum over all processes is that of the
 * system. What it reads is in memory; Kafka is asked for nothing.
 */
public final class KafkaMetrics {
  /** How often partitions are looked at = 5 s. */
  public static final Duration READ_INTERVAL = Duration.ofSeconds(5);

  private final KafkaTransport transport;
  private final Meters meters;
  private final MultiGauge lag;
  private final BoundedLabel queues;
  private final BoundedLabel topics;
  private final BoundedLabel partitions;
  private final Map<PartitionKey, Long> counted = new HashMap<>(); // dead letters by partition
  private final Context context;
  private final SweepLoop loop;

  private KafkaMetrics(
      Vertx vertx,
      KafkaTransport transport,
      MeterRegistry registry,
      RunlaneMetricsOptions options) {
    this.transport = transport;
    meters = new Meters(registry, options.isHistograms());
    int most = options.getMostLabelValues();
    queues = new BoundedLabel(most);
    topics = new BoundedLabel(most);
    partitions = new BoundedLabel(most);
    Meters.forget(
        registry,
        MetricNames.KAFKA_RECEIVED,
        MetricNames.KAFKA_REDELIVERIES,
        MetricNames.KAFKA_DEAD_LETTERS,
        MetricNames.KAFKA_DEAD_LETTERS_REFUSED,
        MetricNames.KAFKA_DEAD_LETTERS_LOST,
        MetricNames.KAFKA_DELIVERIES,
        MetricNames.KAFKA_LAG);
    count(
        registry,
        MetricNames.KAFKA_RECEIVED,
        "Records fetched, those that came again included",
        Tags.empty(),
        KafkaDeliveryCounts::received);
    count(
        registry,
        MetricNames.KAFKA_REDELIVERIES,
        "Deliveries that failed, each of which is made again or given up",
        Tags.empty(),
        KafkaDeliveryCounts::failed);
    count(
        registry,
        MetricNames.KAFKA_DEAD_LETTERS_REFUSED,
        "Times that a dead-letter topic did not take a record",
        Tags.empty(),
        KafkaDeliveryCounts::deadLettersRefused);
    count(
        registry,
        MetricNames.KAFKA_DEAD_LETTERS_LOST,
        "Records that no dead-letter topic ever takes, not even without their content",
        Tags.empty(),
        KafkaDeliveryCounts::deadLettersLost);
    String description = "Wakeups by what came of them";
    count(
        registry,
        MetricNames.KAFKA_DELIVERIES,
        description,
        Tags.of(MetricNames.OUTCOME, "executed"),
        KafkaDeliveryCounts::executed);
    for (IgnoredReason reason : IgnoredReason.values()) {
      count(
          registry,
          MetricNames.KAFKA_DELIVERIES,
          description,
          Tags.of(MetricNames.OUTCOME, reason.value()),
          counts -> counts.ignored().getOrDefault(reason, 0L));
    }
    lag = MultiGauge.builder(MetricNames.KAFKA_LAG)
        .description("Records of a partition that are not settled yet")
        .register(registry);
    context = vertx.getOrCreateContext();
    loop = new SweepLoop(Timers.of(vertx), "reader of partitions", this::read, READ_INTERVAL);
    context.runOnContext(begun -> loop.start());
  }

  /**
   * Meters in {@code registry} of the consumers that a transport makes, until {@link #close}; they replace those of an
   * earlier transport there.
   */
  public static KafkaMetrics create(Vertx vertx, KafkaTransport transport, MeterRegistry registry) {
    return create(vertx, transport, registry, new RunlaneMetricsOptions());
  }

  /** The same with other bounds: the most label values are those of queues, of topics and of partitions. */
  public static KafkaMetrics create(
      Vertx vertx,
      KafkaTransport transport,
      MeterRegistry registry,
      RunlaneMetricsOptions options) {
    return new KafkaMetrics(vertx, transport, registry, new RunlaneMetricsOptions(options));
  }

  /** Looks at partitions no more; the gauges keep what they showed last. */
  public Future<Void> close() {
    Promise<Void> closed = Promise.promise();
    context.runOnContext(asked -> loop.stop().onComplete(closed));
    return closed.future();
  }

  private void count(
      MeterRegistry registry,
      String name,
      String description,
      Tags tags,
      ToLongFunction<KafkaDeliveryCounts> value) {
    FunctionCounter.builder(name, transport, from -> value.applyAsLong(from.deliveryCounts()))
        .description(description)
        .tags(tags)
        .register(registry);
  }

  private Future<Boolean> read() {
    List<KafkaPartitionCounts> all = transport.partitionCounts();
    Map<PartitionKey, Long> lags = new TreeMap<>();
    Map<PartitionKey, Long> deadLetters = new TreeMap<>();
    for (KafkaPartitionCounts each : all) {
      PartitionKey key = new PartitionKey(
          queues.of(each.queue()),
          topics.of(each.topic()),
          partitions.of(String.valueOf(each.partition())));
      each.lag().ifPresent(records -> lags.merge(key, records, Long::sum));
      deadLetters.merge(key, each.deadLettered(), Long::sum);
    }
    lag.register(
        lags.entrySet().stream()
            .<MultiGauge.Row<?>>map(
                each -> MultiGauge.Row.of(each.getKey().tags(), each.getValue()))
            .toList(),
        true);
    deadLetters.forEach((key, now) -> {
      long more = now - counted.getOrDefault(key, 0L);
      counted.put(key, now);
      meters
          .counter(
              MetricNames.KAFKA_DEAD_LETTERS, "Records moved to a dead-letter topic", key.tags())
          .increment((double) more);
    });
    return Future.succeededFuture(false);
  }

  private record PartitionKey(String queue, String topic, String partition)
      implements Comparable<PartitionKey> {
    Tags tags() {
      return Tags.of(
          MetricNames.QUEUE, queue, MetricNames.TOPIC, topic, MetricNames.PARTITION, partition);
    }

    @Override
    public int compareTo(PartitionKey other) {
      return toString().compareTo(other.toString());
    }
  }
}
