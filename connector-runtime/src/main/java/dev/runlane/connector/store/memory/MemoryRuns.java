package dev.runlane.connector.store.memory;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.record.FlushedStream;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.ActiveRuns;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.CancelOutcome;
import dev.runlane.connector.store.run.EndOutcome;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.run.RequestCancel;
import dev.runlane.connector.store.run.RunEnds;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.connector.store.timeline.AppendEvents;
import dev.runlane.connector.store.timeline.AppendOutcome;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Active runs and their ends in memory. There are no schedules here, so a claim on one is always lost. */
final class MemoryRuns implements ActiveRuns, RunEnds {
  private final MemoryConnectorStore store;
  private final MemoryTimelines timelines;
  private final MemoryHistory history;
  private final Map<String, ActiveRun> active = new LinkedHashMap<>(); // by instance
  private long generation;

  MemoryRuns(MemoryConnectorStore store, MemoryTimelines timelines, MemoryHistory history) {
    this.store = store;
    this.timelines = timelines;
    this.history = history;
  }

  Optional<ActiveRun> current(RunFence fence) {
    return activeOf(fence.instanceId()).filter(run -> run.fence().equals(fence));
  }

  Optional<ActiveRun> activeOf(String instanceId) {
    return Optional.ofNullable(active.get(instanceId));
  }

  private Optional<ActiveRun> activeRun(String runId) {
    return active.values().stream()
        .filter(run -> run.run().runId().equals(runId))
        .findFirst();
  }

  private <T> Future<T> call(String method, Runnable checks, Supplier<T> work) {
    return AdapterCall.of(method, () -> {
      checks.run();
      return Future.succeededFuture(store.locked(work));
    });
  }

  @Override
  public Future<BeginOutcome> begin(BeginRun command) {
    return call("begin", () -> StoreChecks.requireBegin(command), () -> beginNow(command));
  }

  private BeginOutcome beginNow(BeginRun command) {
    RunIdentity run = command.run();
    String instance = run.connector().instanceId();
    ActiveRun before = active.get(instance);
    if (before != null) {
      boolean same = before.run().equals(run) && before.controller().equals(command.controller());
      return same
          ? new BeginOutcome.Begun(before)
          : new BeginOutcome.AlreadyActive(before.run().runId());
    }
    if (timelines.terminalOf(run.runId()).isPresent()) {
      return new BeginOutcome.AlreadyActive(run.runId());
    }
    if (command.scheduleClaim() != null) {
      return new BeginOutcome.ClaimLost();
    }
    history.started(instance, command.now());
    return new BeginOutcome.Begun(stored(new ActiveRun(
        run,
        command.trigger(),
        command.grantId(),
        ++generation,
        command.controller(),
        command.now(),
        null,
        null)));
  }

  private ActiveRun stored(ActiveRun run) {
    active.put(run.run().connector().instanceId(), run);
    return run;
  }

  @Override
  public Future<Optional<ActiveRun>> takeOver(TakeOverRun command) {
    return call(
        "takeOver", () -> StoreChecks.requireTakeOver(command), () -> activeRun(command.runId())
            .filter(run -> run.generation() == command.expectedGeneration())
            .map(run -> stored(new ActiveRun(
                run.run(),
                run.trigger(),
                run.grantId(),
                ++generation,
                command.controller(),
                run.startedAt(),
                run.cancelRequestedAt(),
                run.pendingInteraction()))));
  }

  @Override
  public Future<CancelOutcome> requestCancel(RequestCancel command) {
    return call(
        "requestCancel", () -> StoreChecks.requireCancel(command), () -> cancelNow(command));
  }

  private CancelOutcome cancelNow(RequestCancel command) {
    Optional<ActiveRun> found = activeRun(command.runId());
    if (found.isEmpty()) {
      return timelines
          .terminalOf(command.runId())
          .<CancelOutcome>map(CancelOutcome.AlreadyTerminal::new)
          .orElseGet(CancelOutcome.NoActiveRun::new);
    }
    ActiveRun run = found.get();
    if (run.cancelRequestedAt() != null) {
      return new CancelOutcome.Accepted(run, false);
    }
    timelines.record(run.run(), List.of(command.event()), command.now());
    return new CancelOutcome.Accepted(
        stored(new ActiveRun(
            run.run(),
            run.trigger(),
            run.grantId(),
            run.generation(),
            run.controller(),
            run.startedAt(),
            command.now(),
            run.pendingInteraction())),
        true);
  }

  @Override
  public Future<Optional<ActiveRun>> find(String runId) {
    return call("find", () -> StoreChecks.requireRunId(runId), () -> activeRun(runId));
  }

  @Override
  public Future<Optional<ActiveRun>> findByInstance(String instanceId) {
    return call(
        "findByInstance",
        () -> StoreChecks.requireInstance(instanceId),
        () -> activeOf(instanceId));
  }

  @Override
  public Future<List<FlushedStream>> flushed(RunFence fence) {
    return call("flushed", () -> StoreChecks.requireFence(fence), () -> store.flushed(fence));
  }

  @Override
  public Future<List<ActiveRun>> list() {
    return call("list", () -> {}, () -> List.copyOf(active.values()));
  }

  AppendOutcome append(AppendEvents command) {
    Optional<ActiveRun> found = current(command.fence());
    if (found.isEmpty()) {
      return new AppendOutcome.FencedOut();
    }
    timelines.record(found.get().run(), command.events(), command.now());
    for (TimelineEvent event : command.events()) {
      if (event.type() == TimelineEventType.INTERACTION_REQUIRED) {
        noteInteraction(command.fence(), event.interactionId());
      } else if (event.type() == TimelineEventType.INTERACTION_COMPLETED) {
        noteInteraction(command.fence(), null);
      }
    }
    return new AppendOutcome.Appended();
  }

  private void noteInteraction(RunFence fence, @Nullable String pending) {
    current(fence)
        .ifPresent(run -> stored(new ActiveRun(
            run.run(),
            run.trigger(),
            run.grantId(),
            run.generation(),
            run.controller(),
            run.startedAt(),
            run.cancelRequestedAt(),
            pending)));
  }

  @Override
  public Future<EndOutcome> end(EndRun command) {
    return call("end", () -> StoreChecks.requireEnd(command), () -> endNow(command));
  }

  private EndOutcome endNow(EndRun command) {
    Optional<ActiveRun> found = current(command.fence());
    if (found.isEmpty()) {
      return endedBefore(command);
    }
    ActiveRun run = found.get();
    if (run.cancelRequestedAt() != null
        && command.terminal().type() == TimelineEventType.COMPLETED) {
      return new EndOutcome.CancelledFirst();
    }
    Optional<SinkFailure> refusal = refusal(command, run);
    if (refusal.isPresent()) {
      return new EndOutcome.CursorsRefused(refusal.get());
    }
    command.cursors().forEach(cursor -> store.commit(run, cursor, command.now()));
    if (command.history().status() == RunStatus.SUCCEEDED) {
      store.consumeGrant(run);
    }
    timelines.record(run.run(), command.events(), command.now());
    active.remove(command.fence().instanceId());
    history.ended(command.history());
    return new EndOutcome.Ended();
  }

  private Optional<SinkFailure> refusal(EndRun command, ActiveRun run) {
    Optional<SinkFailure> ofGrant = command.cursors().isEmpty()
        ? Optional.empty()
        : store.grantRefusal(run, SinkFailure.Phase.STATE_COMMIT, command.now());
    return ofGrant.or(() -> command.taken().stream()
        .filter(batch -> store.isMissing(command.fence(), batch))
        .map(batch -> SinkFailure.ofLostRecords(SinkFailure.Phase.STATE_COMMIT))
        .findFirst());
  }

  private EndOutcome endedBefore(EndRun command) {
    Optional<RecordedEvent> terminal = timelines.terminalOf(command.fence().runId());
    if (terminal.isEmpty()) {
      return new EndOutcome.FencedOut();
    }
    String endedBy = terminal.get().event().eventId();
    return endedBy.equals(command.terminal().eventId())
        ? new EndOutcome.Ended()
        : new EndOutcome.AlreadyEnded(terminal.get());
  }
}
