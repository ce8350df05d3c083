package dev.runlane.storage.memory;

import dev.runlane.conformance.fixture.LaneFixture;
import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupListener;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The local lane for one case, and lanes that are put together as it is, or wrongly. */
final class MemoryLaneFixture implements LaneFixture {
  /** How lanes are put together. */
  interface Composing {
    Lane compose(
        @Nullable StorageAdapter storage,
        @Nullable TransportAdapter transport,
        LaneOptions options);
  }

  private final List<DeliveryMessage> received = new CopyOnWriteArrayList<>();
  private final Lane lane = MemoryLane.create();
  private final Composing composing;

  MemoryLaneFixture(Composing composing) {
    this.composing = composing;
  }

  @Override
  public Future<Lane> open() {
    return lane.transport()
        .wakeups()
        .orElseThrow()
        .subscribe(ENVIRONMENT, new WakeupListener() {
          @Override
          public void onWakeups(List<DeliveryMessage> messages) {
            received.addAll(messages);
          }

          @Override
          public void onPossibleLoss() {
            throw new AssertionError("nothing is lost inside a process");
          }
        })
        .compose(subscribed -> lane.start())
        .map(lane);
  }

  @Override
  public Lane compose(
      @Nullable StorageAdapter storage, @Nullable TransportAdapter transport, LaneOptions options) {
    return composing.compose(storage, transport, options);
  }

  @Override
  public String queue() {
    return "default";
  }

  @Override
  public Future<List<DeliveryMessage>> received() {
    return Future.succeededFuture(List.copyOf(received));
  }

  @Override
  public Future<Void> close() {
    return lane.close();
  }
}
