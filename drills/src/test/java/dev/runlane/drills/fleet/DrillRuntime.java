package dev.runlane.drills.fleet;

import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.lane.pgkafka.PgKafkaLane;
import dev.runlane.lane.pgkafka.PgKafkaLaneOptions;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.maintenance.CancellationFinalizerOptions;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.schedule.SchedulerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.timing.Clock;
import dev.runlane.transport.kafka.KafkaTransport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A runtime on a drill's database, in a forked program or in the test itself. Not started. */
public final class DrillRuntime {
  /** How long a claim of maintenance lasts: one that was killed must not hold things long. */
  public static final Duration CLAIM = Duration.ofSeconds(4);

  /** Longer than the transport needs to give up. */
  private static final Duration PUBLISH = DrillTopics.PUBLISH.plusMillis(500);

  private static final Duration SWEEP = Duration.ofSeconds(1);

  /** A connection costs its server as much as dozens of runs. */
  private static final int CONNECTIONS = Boolean.getBoolean("drills.full") ? 5 : 3;

  private final Vertx vertx;
  private final PgStorageAdapter storage;
  private final Pool pool;
  private final DrillTasks tasks;
  private final @Nullable KafkaTransport kafka;
  private final Runlane runlane;

  private DrillRuntime(Vertx vertx, DrillTarget target, String name, DrillLane made) {
    this.vertx = vertx;
    storage = made.storage();
    kafka = made.kafka();
    PgConnectOptions connect = PgConnectOptions.fromUri(target.uri());
    pool = PgBuilder.pool()
        .connectingTo(connect)
        .with(new PoolOptions().setMaxSize(2))
        .using(vertx)
        .build();
    tasks = new DrillTasks(vertx, pool, target.environment(), name);
    runlane = Runlane.builder(vertx, made.lane())
        .queues(DrillTasks.QUEUES)
        .task(tasks.work())
        .task(tasks.batch())
        .task(tasks.scheduled())
        .options(new RunlaneOptions()
            .setEnvironment(target.environment())
            .setLeaseDuration(target.lease())
            .setOutboxClaim(CLAIM))
        .clock(() -> Clock.system().now().plus(target.clockOffset()))
        .build();
  }

  /** A runtime with the lane that the target asks for. */
  public static DrillRuntime create(Vertx vertx, DrillTarget target, String name) {
    String servers = target.kafka();
    if (servers == null) {
      return create(
          vertx, target, name, storage -> Lanes.create(storage, storage.notifyTransport()));
    }
    PgKafkaLane lane = PgKafkaLane.create(
        vertx,
        new PgKafkaLaneOptions()
            .setStorage(storage(target))
            .setTransport(DrillTopics.transport(servers, name)));
    return new DrillRuntime(
        vertx, target, name, new DrillLane(lane, lane.storage(), lane.transport()));
  }

  /** A runtime with a lane of the caller's making. */
  public static DrillRuntime create(
      Vertx vertx, DrillTarget target, String name, Function<PgStorageAdapter, Lane> lane) {
    PgStorageAdapter storage = PgStorageAdapter.create(vertx, storage(target));
    return new DrillRuntime(vertx, target, name, new DrillLane(lane.apply(storage), storage, null));
  }

  /** A runtime without a broker whose storage is reached in this way. */
  public static DrillRuntime create(
      Vertx vertx, DrillTarget target, String name, PgStorageOptions options) {
    PgStorageAdapter storage = PgStorageAdapter.create(vertx, options);
    Lane lane = Lanes.create(storage, storage.notifyTransport());
    return new DrillRuntime(vertx, target, name, new DrillLane(lane, storage, null));
  }

  private static PgStorageOptions storage(DrillTarget target) {
    return new PgStorageOptions()
        .setConnectOptions(PgConnectOptions.fromUri(target.uri()))
        .setPoolOptions(new PoolOptions().setMaxSize(CONNECTIONS));
  }

  private record DrillLane(
      Lane lane, PgStorageAdapter storage, @Nullable KafkaTransport kafka) {}

  /** All roles, with short pauses. */
  public static RunlaneDeployment allRoles(String workerId) {
    return new RunlaneDeployment()
        .setWorker(new WorkerOptions().setWorkerId(workerId))
        .setScheduler(new SchedulerOptions().setClaimDuration(CLAIM))
        .setCancellationFinalizer(new CancellationFinalizerOptions().setIdleDelay(SWEEP))
        .setOutboxPublisher(
            new OutboxPublisherOptions().setClaimDuration(CLAIM).setPublishTimeout(PUBLISH));
  }

  public Vertx vertx() {
    return vertx;
  }

  public PgStorageAdapter storage() {
    return storage;
  }

  public Pool pool() {
    return pool;
  }

  public DrillTasks tasks() {
    return tasks;
  }

  public Runlane runlane() {
    return runlane;
  }

  /** The transport, where wakeups go through Kafka. */
  Optional<KafkaTransport> kafka() {
    return Optional.ofNullable(kafka);
  }

  public Future<Void> close() {
    return runlane.close().eventually(pool::close);
  }
}
