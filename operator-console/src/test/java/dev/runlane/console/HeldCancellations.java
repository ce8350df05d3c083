package dev.runlane.console;

import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.run.RunEventType;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.memory.MemoryTransport;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import io.vertx.core.Promise;

/** A storage in memory that stores cancellations once it is told to, so that actions on many runs stay under way. */
class HeldCancellations extends ForwardingStorageAdapter {
  final Promise<Void> gate = Promise.promise();

  HeldCancellations() {
    super(new MemoryStorage());
  }

  Lane lane() {
    return Lanes.create(
        this,
        new MemoryTransport(),
        new LaneOptions().setName("held").setOperatorReads(true).setProductionDurable(false));
  }

  @Override
  public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
    boolean isCancellation =
        command.events().stream().anyMatch(event -> event.type() == RunEventType.CANCELLED);
    return isCancellation
        ? gate.future().compose(open -> super.appendRunEvents(command))
        : super.appendRunEvents(command);
  }
}
