package dev.runlane.connector.controller;

import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.process.os.ProcessIdentity;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.timing.BlockingCalls;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends runs whose process is gone: what is left of their children first, then the run, as abandoned. A run of a
 * process that lives, or of another machine, is not touched; of the latter one hears when its lease runs out.
 */
final class AbandonedRuns {
  private static final Logger LOG = LoggerFactory.getLogger(AbandonedRuns.class);

  private final ConnectorStore store;
  private final ChildProcesses processes;
  private final ControllerProcess self;
  private final RunEvents events;
  private final LostRuns lost;
  private final BlockingCalls blocking;
  private final Clock clock;

  AbandonedRuns(
      ConnectorControllerParts parts, ControllerProcess self, RunEvents events, LostRuns lost) {
    this.lost = lost;
    this.self = self;
    this.events = events;
    store = parts.store();
    processes = parts.processes();
    blocking = parts.blocking();
    clock = parts.clock();
  }

  /** Ends every run of a dead process of this machine. One that cannot be ended now keeps its place, and no other. */
  Future<Void> endAll() {
    return store.activeRuns().list().compose(rows -> {
      Future<Void> ended = Future.succeededFuture();
      for (ActiveRun row : rows) {
        ended = ended.compose(before -> endIfOrphan(row).recover(failure -> {
          LOG.warn("run {} is not ended yet", row.run().runId(), failure);
          return Future.succeededFuture();
        }));
      }
      return ended;
    });
  }

  private Future<Void> endIfOrphan(ActiveRun row) {
    return isOrphan(row).compose(orphan -> orphan ? end(row) : Future.succeededFuture());
  }

  /**
   * Ends one run as abandoned, whoever had it. Its generation is raised first, so that a process that is only slow
   * writes nothing more.
   */
  Future<Void> end(ActiveRun row) {
    LOG.warn(
        "run {} is abandoned: process {} is gone",
        row.run().runId(),
        row.controller().pid());
    return end(row, events::abandoned);
  }

  /** The same for one that this process claimed while it stops. */
  Future<Void> endStopped(ActiveRun row) {
    LOG.info("run {} is abandoned: this process stops", row.run().runId());
    return end(row, events::stopped);
  }

  private Future<Void> end(ActiveRun row, BiFunction<ActiveRun, RunTally, EndRun> ending) {
    return endOrphans(row)
        .compose(ended -> store
            .activeRuns()
            .takeOver(new TakeOverRun(row.run().runId(), row.generation(), self, clock.now())))
        .compose(mine -> mine.isEmpty() ? Future.succeededFuture() : lost.end(mine.get(), ending));
  }

  private Future<Boolean> isOrphan(ActiveRun row) {
    ProcessIdentity owner = identity(row);
    return processes.host().isLocal(owner)
        ? blocking.run(() -> !processes.host().isAlive(owner))
        : Future.succeededFuture(false);
  }

  /** Only a dead process of this machine can have left something here. */
  private Future<Boolean> endOrphans(ActiveRun row) {
    return isOrphan(row)
        .compose(orphan -> orphan
            ? processes.terminateOrphans(identity(row), row.run().runId())
            : Future.succeededFuture(false));
  }

  private static ProcessIdentity identity(ActiveRun row) {
    ControllerProcess owner = row.controller();
    return new ProcessIdentity(owner.hostId(), owner.bootId(), owner.pid(), owner.startTicks());
  }
}
