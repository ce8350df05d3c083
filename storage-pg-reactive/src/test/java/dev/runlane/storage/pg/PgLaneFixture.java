package dev.runlane.storage.pg;

import dev.runlane.conformance.fixture.LaneFixture;
import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.pg.notify.NotificationTap;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The lane without a broker: Postgres storage and NOTIFY, on a schema of its own. */
final class PgLaneFixture implements LaneFixture {
  private final PgStorageOptions options;
  private final NotificationTap tap;
  private final Lane lane;

  PgLaneFixture(Vertx vertx) {
    this.options = PgStorageFixture.newSchema();
    this.tap = new NotificationTap(vertx, options);
    PgStorageAdapter storage = PgStorageAdapter.create(vertx, options);
    this.lane = Lanes.create(
        storage, storage.notifyTransport(), new LaneOptions().setName("postgres-notify"));
  }

  @Override
  public Future<Lane> open() {
    return tap.open().compose(listening -> lane.start()).map(lane);
  }

  @Override
  public Lane compose(
      @Nullable StorageAdapter storage, @Nullable TransportAdapter transport, LaneOptions given) {
    return Lanes.create(storage, transport, given);
  }

  @Override
  public String queue() {
    return "default";
  }

  @Override
  public Future<List<DeliveryMessage>> received() {
    return tap.received();
  }

  @Override
  public Future<Void> close() {
    return Future.join(tap.close(), lane.close()).mapEmpty();
  }
}
