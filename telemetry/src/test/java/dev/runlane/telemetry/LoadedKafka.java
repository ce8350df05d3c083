package dev.runlane.telemetry;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.telemetry.metrics.KafkaMetrics;
import dev.runlane.testinfra.kafka.KafkaServers;
import dev.runlane.timing.Backoff;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.IgnoredReason;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.kafka.KafkaConsumerOptions;
import dev.runlane.transport.kafka.KafkaQueue;
import dev.runlane.transport.kafka.KafkaTopicOptions;
import dev.runlane.transport.kafka.KafkaTransport;
import dev.runlane.transport.kafka.KafkaTransportOptions;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Consumers of a real broker, of whose wakeups one needs no work, one can never be delivered and one is held. */
final class LoadedKafka {
  private static @Nullable String scrape;
  private static @Nullable String scrapeAnew;

  private final Vertx vertx = Vertx.vertx();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Promise<DeliveryResult> held = Promise.promise();

  private LoadedKafka() {}

  /** What Prometheus would read from it; loaded once for all tests. */
  static synchronized String scrape() {
    load();
    return Objects.requireNonNull(scrape);
  }

  /** What it would read when the meters of the same consumers were made anew. */
  static synchronized String scrapeAnew() {
    load();
    return Objects.requireNonNull(scrapeAnew);
  }

  private static void load() {
    if (scrapeAnew == null) {
      LoadedKafka loaded = new LoadedKafka();
      try {
        loaded.run();
      } finally {
        await(loaded.vertx.close());
      }
    }
  }

  private void run() {
    String topic = "telemetry-" + UUID.randomUUID();
    KafkaTransport transport = KafkaTransport.create(
        vertx,
        new KafkaTransportOptions()
            .setBootstrapServers(KafkaServers.shared().bootstrapServers())
            .addQueue(new KafkaQueue(QueuePolicy.unbounded("mail"), topic))
            .setCreateTopics(new KafkaTopicOptions().setPartitions(1))
            .setConsumer(new KafkaConsumerOptions()
                .setGroupId(topic)
                .setMaxFutileAttempts(2)
                .setDrainTimeout(Duration.ofSeconds(1))
                .setBackoff(Backoff.exponential(Duration.ofMillis(20), Duration.ofMillis(50)))));
    await(transport.start());
    KafkaMetrics metrics = KafkaMetrics.create(vertx, transport, registry);
    String consumer = await(vertx.deployVerticle(transport.consumer(new Worker())));
    await(transport.publishWakeups(new PublishWakeups(
        List.of(attempt("ignored"), attempt("refused"), attempt("held"), attempt("behind")))));
    until("runlane_kafka_deadletters_total{", "1.0");
    until("runlane_kafka_lag{", "2.0"); // the one that is held, and the one behind it
    scrape = registry.scrape();
    await(metrics.close());
    KafkaMetrics anew = KafkaMetrics.create(vertx, transport, registry);
    until("runlane_kafka_lag{", "2.0");
    until("runlane_kafka_deadletters_total{", "");
    scrapeAnew = registry.scrape();
    held.complete(new DeliveryResult.Ignored(IgnoredReason.TERMINAL));
    await(vertx.undeploy(consumer));
    await(anew.close());
    await(transport.close());
  }

  private static PublishWakeups.Attempt attempt(String runId) {
    return new PublishWakeups.Attempt(
        "msg_" + runId,
        "tok_1",
        new DeliveryMessage(new Environment("test"), runId, "mail", Instant.EPOCH, null));
  }

  private void until(String begin, String end) {
    Promise<Void> seen = Promise.promise();
    long timer = vertx.setPeriodic(50, tick -> {
      if (registry
          .scrape()
          .lines()
          .anyMatch(line -> line.startsWith(begin) && line.endsWith(end))) {
        seen.tryComplete();
      }
    });
    await(seen.future());
    vertx.cancelTimer(timer);
  }

  private final class Worker implements DeliveryWorker {
    @Override
    public String workerId() {
      return "worker";
    }

    @Override
    public Set<String> queues() {
      return Set.of("mail");
    }

    @Override
    public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
      return switch (message.runId()) {
        case "refused" ->
          Future.failedFuture(
              RunlaneException.of(ErrorCode.VALIDATION_FAILED, "it can never be delivered"));
        case "held" -> held.future();
        default -> Future.succeededFuture(new DeliveryResult.Ignored(IgnoredReason.TERMINAL));
      };
    }

    @Override
    public Future<Void> stop() {
      return Future.succeededFuture();
    }
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }
}
