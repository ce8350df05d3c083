package dev.runlane.benchmarks.subject;

import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.kafka.KafkaConsumerOptions;
import dev.runlane.transport.kafka.KafkaQueue;
import dev.runlane.transport.kafka.KafkaTopicOptions;
import dev.runlane.transport.kafka.KafkaTransport;
import dev.runlane.transport.kafka.KafkaTransportOptions;
import io.vertx.core.Vertx;

/** {@link RunlaneProcess} with wakeups over a broker, in a topic of the round's own. */
public final class KafkaProcess {
  /** The system property that says where the broker is. */
  static final String SERVERS = "kafka";

  private KafkaProcess() {}

  /** Reads its settings from standard input. */
  public static void main(String[] args) {
    RunlaneProcess.main(OverKafka::new);
  }

  private static final class OverKafka implements Assembly {
    /**
     * A consumer has twice as many deliveries under way as the worker has slots: half of them store their outcomes
     * while the others are claimed.
     */
    @Override
    public TransportAdapter transport(
        Vertx vertx, PgStorageAdapter storage, TaskQueue queue, ProcessSettings settings) {
      String round = settings.address().database();
      int inFlight = Math.max(
          KafkaConsumerOptions.DEFAULT_MAX_IN_FLIGHT, 2 * settings.workload().concurrency());
      return KafkaTransport.create(
          vertx,
          new KafkaTransportOptions()
              .setBootstrapServers(System.getProperty(SERVERS))
              .addQueue(new KafkaQueue(queue.policy(), round))
              .setCreateTopics(new KafkaTopicOptions())
              .setConsumer(new KafkaConsumerOptions().setGroupId(round).setMaxInFlight(inFlight)));
    }
  }
}
