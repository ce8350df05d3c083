package dev.runlane.cli.run;

import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.record.FlushedStream;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.ActiveRuns;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.CancelOutcome;
import dev.runlane.connector.store.run.RequestCancel;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.connector.store.timeline.TimelineEvent;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Active runs that notify a listener when one is asked to end. */
final class ObservedRuns implements ActiveRuns {
  private final ActiveRuns runs;
  private final Consumer<TimelineEvent> told;

  ObservedRuns(ActiveRuns runs, Consumer<TimelineEvent> told) {
    this.runs = runs;
    this.told = told;
  }

  @Override
  public Future<BeginOutcome> begin(BeginRun command) {
    return runs.begin(command);
  }

  @Override
  public Future<Optional<ActiveRun>> takeOver(TakeOverRun command) {
    return runs.takeOver(command);
  }

  @Override
  public Future<CancelOutcome> requestCancel(RequestCancel command) {
    return runs.requestCancel(command).onSuccess(outcome -> {
      if (outcome instanceof CancelOutcome.Accepted accepted && accepted.first()) {
        told.accept(command.event());
      }
    });
  }

  @Override
  public Future<Optional<ActiveRun>> find(String runId) {
    return runs.find(runId);
  }

  @Override
  public Future<Optional<ActiveRun>> findByInstance(String instanceId) {
    return runs.findByInstance(instanceId);
  }

  @Override
  public Future<List<FlushedStream>> flushed(RunFence fence) {
    return runs.flushed(fence);
  }

  @Override
  public Future<List<ActiveRun>> list() {
    return runs.list();
  }
}
