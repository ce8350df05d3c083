package dev.runlane.lane.pgkafka;

import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneCapabilities;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.transport.kafka.KafkaTransport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * Runs in Postgres, wakeups over Kafka: {@code productionDurable}, with the operator reads of its storage. The
 * same as {@link Lanes#create} of the two adapters, which it gives by their own types.
 */
public final class PgKafkaLane implements Lane {
  private final PgStorageAdapter storage;
  private final KafkaTransport transport;
  private final Lane lane;

  private PgKafkaLane(PgStorageAdapter storage, KafkaTransport transport, String name) {
    this.storage = storage;
    this.transport = transport;
    lane = Lanes.create(
        storage,
        transport,
        new LaneOptions()
            .setName(name)
            .setProductionDurable(true)
            .setOperatorReads(
                storage.capabilities().contains(StorageCapability.READS_RUN_HISTORY)));
  }

  /** A lane that has not started. Throws {@code ConfigurationInvalid} when no queue is bound to a topic. */
  public static PgKafkaLane create(Vertx vertx, PgKafkaLaneOptions options) {
    KafkaTransport transport = KafkaTransport.create(vertx, options.getTransport());
    return new PgKafkaLane(
        PgStorageAdapter.create(vertx, options.getStorage()), transport, options.getName());
  }

  @Override
  public String name() {
    return lane.name();
  }

  @Override
  public LaneCapabilities capabilities() {
    return lane.capabilities();
  }

  /** For transactions of the caller's: see {@link PgStorageAdapter#on}. */
  @Override
  public PgStorageAdapter storage() {
    return storage;
  }

  /** For what consumers have counted: see {@link KafkaTransport#deliveryCounts}. */
  @Override
  public KafkaTransport transport() {
    return transport;
  }

  @Override
  public Future<Void> start() {
    return lane.start();
  }

  @Override
  public Future<Void> close() {
    return lane.close();
  }
}
