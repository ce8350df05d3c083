package dev.runlane.storage.memory;

import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneCapabilities;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;

/** Does what another lane does; subclasses break one thing. */
class ForwardingLane implements Lane {
  final Lane real;

  ForwardingLane(Lane real) {
    this.real = real;
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public LaneCapabilities capabilities() {
    return real.capabilities();
  }

  @Override
  public StorageAdapter storage() {
    return real.storage();
  }

  @Override
  public TransportAdapter transport() {
    return real.transport();
  }

  @Override
  public Future<Void> start() {
    return real.start();
  }

  @Override
  public Future<Void> close() {
    return real.close();
  }
}
