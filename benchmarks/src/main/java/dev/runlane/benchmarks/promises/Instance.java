package dev.runlane.benchmarks.promises;

import dev.runlane.benchmarks.measure.TimedCalls;
import dev.runlane.lane.Lanes;
import dev.runlane.lane.pgkafka.PgKafkaLane;
import dev.runlane.lane.pgkafka.PgKafkaLaneOptions;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.transport.kafka.KafkaQueue;
import dev.runlane.transport.kafka.KafkaTopicOptions;
import dev.runlane.transport.kafka.KafkaTransportOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.util.UUID;

/** A runtime with a Vert.x of its own, as a process would have. Its methods block. */
final class Instance implements AutoCloseable {
  static final TaskQueue QUEUE = TaskQueue.of("default").asDefault();

  /** What else than its lane a runtime is given. */
  @FunctionalInterface
  interface Settings {
    RunlaneBuilder of(RunlaneBuilder builder, Vertx vertx);
  }

  private final Vertx vertx;
  private final Runlane runlane;

  private Instance(Vertx vertx, RunlaneBuilder builder) {
    this.vertx = vertx;
    runlane = builder.build();
  }

  /** On Postgres, with wakeups over NOTIFY. */
  static Instance onPostgres(PgConnectOptions address, Settings settings) {
    Vertx vertx = Vertx.vertx();
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(address));
    return new Instance(
        vertx,
        settings.of(
            Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport())), vertx));
  }

  /** On Postgres, with wakeups over a broker, in a topic of its own. */
  static Instance onKafka(PgConnectOptions address, String servers, Settings settings) {
    Vertx vertx = Vertx.vertx();
    KafkaTransportOptions kafka = new KafkaTransportOptions()
        .setBootstrapServers(servers)
        .addQueue(new KafkaQueue(QUEUE.policy(), "promises-" + UUID.randomUUID()))
        .setCreateTopics(new KafkaTopicOptions().setPartitions(2));
    PgKafkaLaneOptions lane = new PgKafkaLaneOptions()
        .setStorage(new PgStorageOptions().setConnectOptions(address))
        .setTransport(kafka);
    return new Instance(
        vertx,
        settings.of(Runlane.builder(vertx, PgKafkaLane.create(vertx, lane)).queue(QUEUE), vertx));
  }

  Runlane runlane() {
    return runlane;
  }

  Vertx vertx() {
    return vertx;
  }

  /** With no roles: to trigger and to read. */
  Instance start() {
    await(runlane.start());
    return this;
  }

  /** With all roles, and that many slots. */
  Instance work(WorkerOptions worker) {
    await(runlane.deploy(vertx, new RunlaneDeployment().setWorker(worker)));
    return this;
  }

  static <T> T await(Future<T> future) {
    return TimedCalls.await(future);
  }

  @Override
  public void close() {
    await(runlane.close());
    await(vertx.close());
  }
}
