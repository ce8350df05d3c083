package dev.runlane.connector.controller;

import dev.runlane.connector.run.ConnectorRun;
import dev.runlane.connector.run.ConnectorRunner;
import dev.runlane.connector.run.request.RunObservers;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.run.state.Retries;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.ActiveRuns;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskHandler;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one attempt of a connector run. The timeline's terminal event comes first and decides; the run's own outcome
 * follows from it. So an attempt that finds the run ended only repeats how:
 *
 * <pre>
 *   first attempt      row there     launch, follow to the end; without its connector: give it back
 *   later attempt      row there     the process that had it is gone: run.abandoned, nothing is launched
 *   any attempt        no row        as the terminal event says
 * </pre>
 *
 * <p>Attempts that gave the run back do not count here: they have launched nothing.
 */
final class ConnectorRunTask implements TaskHandler<ConnectorRunPayload> {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectorRunTask.class);

  /** Reading files, and asking whoever keeps the secrets. */
  private static final Duration PREPARES_WITHIN = Duration.ofMinutes(1);

  /** Why a run is given back, in its history. */
  private static final String NOT_HERE = "connector_not_here";

  private static final int READS = 8;
  private static final Backoff BETWEEN_READS =
      new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5), 0.2);
  private static final Duration READS_WITHIN = Duration.ofSeconds(30);

  private final ConnectorStore store;
  private final ControllerProcess self;
  private final RunPreparation preparation;
  private final MissingConnectors missing;
  private final Function<String, Future<Optional<RunRecord>>> durable;
  private final AbandonedRuns abandoned;
  private final LostRuns lost;
  private final ConnectorRunner runner;
  private final LiveRuns live;
  private final RunEvents events;
  private final Clock clock;
  private final Timers timers;
  private final Retries retries;
  private final CancelRequests cancels;
  private final RunObservers observers;

  ConnectorRunTask(
      ConnectorControllerParts parts,
      ControllerProcess self,
      RunPreparation preparation,
      MissingConnectors missing,
      Function<String, Future<Optional<RunRecord>>> durable,
      AbandonedRuns abandoned,
      LostRuns lost,
      LiveRuns live,
      RunEvents events,
      CancelRequests cancels,
      RunObservers observers) {
    this.observers = observers;
    this.self = self;
    this.preparation = preparation;
    this.missing = missing;
    this.durable = durable;
    this.abandoned = abandoned;
    this.lost = lost;
    this.live = live;
    this.events = events;
    this.cancels = cancels;
    store = parts.store();
    runner = parts.runner();
    clock = parts.clock();
    timers = parts.timers();
    retries = new Retries(timers, Randomness.system(), BETWEEN_READS, READS_WITHIN);
  }

  @Override
  public Future<TaskResult> handle(ConnectorRunPayload payload, TaskContext context) {
    String runId = context.runId();
    return repeated(() -> activeRuns().find(runId))
        .compose(row -> row.isEmpty()
            ? outcome(runId)
            : isFirst(context).compose(first -> attempt(row.get(), first, payload, context)));
  }

  /** Whether every attempt before this one gave the run back. */
  private Future<Boolean> isFirst(TaskContext context) {
    int before = context.attempt() - 1;
    return before == 0
        ? Future.succeededFuture(true)
        : repeated(() -> durable.apply(context.runId()))
            .map(run -> run.filter(each -> each.counters().releases() == before).isPresent());
  }

  private Future<TaskResult> attempt(
      ActiveRun row, boolean first, ConnectorRunPayload payload, TaskContext context) {
    if (!first || live.isClosed()) {
      return (first ? abandoned.endStopped(row) : abandoned.end(row))
          .compose(ended -> outcome(context.runId()));
    }
    return preparation.onDisk(payload).compose(onDisk -> {
      Optional<Duration> pause = missing.pause(row, payload, onDisk, context.attempt());
      return pause.isPresent()
          ? Future.succeededFuture(givenBack(payload, context, pause.get()))
          : run(row, payload, context).compose(over -> outcome(context.runId()));
    });
  }

  private static TaskResult givenBack(
      ConnectorRunPayload payload, TaskContext context, Duration pause) {
    if (context.attempt() == 1) { // once a run
      LOG.warn(
          "run {} waits for another process: this one does not have connector {} as accepted",
          context.runId(),
          payload.connectorId());
    }
    return context.release(pause, NOT_HERE, Map.of("connector", payload.connectorId()));
  }

  private Future<Void> run(ActiveRun row, ConnectorRunPayload payload, TaskContext context) {
    return own(row).compose(mine -> {
      if (mine.isEmpty()) {
        return Future.succeededFuture(); // somebody else has it; the timeline will tell
      }
      ActiveRun run = mine.get();
      if (run.cancelRequestedAt() != null) {
        return lost.end(run, events::cancelled);
      }
      return timers
          .within(
              PREPARES_WITHIN,
              preparation.prepare(run, payload),
              () -> RunlaneException.of(
                  ErrorCode.OPERATION_CANCELLED,
                  "the launch was not prepared within %s, secrets included",
                  PREPARES_WITHIN))
          .compose(prepared ->
              follow(runner.begin(prepared.request(), observers.of(run.run())), context))
          .recover(failure -> failed(run, failure));
    });
  }

  /** A run accepted by another process that this one claimed becomes this one's, address included. */
  private Future<Optional<ActiveRun>> own(ActiveRun row) {
    return row.controller().controllerId().equals(self.controllerId())
        ? Future.succeededFuture(Optional.of(row))
        : activeRuns()
            .takeOver(new TakeOverRun(row.run().runId(), row.generation(), self, clock.now()));
  }

  private Future<Void> follow(ConnectorRun begun, TaskContext context) {
    String runId = context.runId();
    live.add(runId, new LiveRun(begun));
    if (live.isClosed()) {
      begun.abandon(); // the close did not see it
    }
    context.signal().onSuccess(reason -> signalled(runId, begun, reason));
    return begun
        .result()
        .eventually(() -> {
          live.remove(runId);
          return Future.succeededFuture();
        })
        .mapEmpty();
  }

  private void signalled(String runId, ConnectorRun run, SignalReason reason) {
    switch (reason) {
      case CANCELLATION_REQUESTED ->
        cancels.request(runId, null).onFailure(failure -> {
          LOG.warn("the cancellation of run {} could not be stored before it ends", runId, failure);
          run.cancel(); // no further signal comes
        });
      case LEASE_LOST -> run.leaseLost();
      case WORKER_STOPPING, ATTEMPT_TIMEOUT -> run.abandon();
    }
  }

  /**
   * The run is ended here only if nothing else has ended it: not when a terminal event was written before the failure.
   */
  private Future<Void> failed(ActiveRun run, Throwable failure) {
    LOG.error(
        "run {} (trace {}) of connector {} failed outside its connector",
        run.run().runId(),
        run.run().traceId(),
        run.run().connector().connectorId(),
        failure);
    return store
        .timeline()
        .bounds(run.run().runId())
        .compose(bounds -> bounds.terminal().isPresent()
            ? Future.succeededFuture()
            : lost.end(
                run,
                (mine, kept) -> events.failed(
                    mine,
                    kept,
                    bounds.started().isPresent()
                        ? TerminalReason.RUNTIME_ERROR
                        : TerminalReason.LAUNCH_FAILED,
                    failure)));
  }

  /** How the durable run ends: as the terminal event says. */
  private Future<TaskResult> outcome(String runId) {
    return repeated(() -> store.timeline().bounds(runId)).compose(bounds -> {
      Optional<TimelineEventType> type =
          bounds.terminal().map(end -> end.event().type());
      if (type.isPresent()
          && (type.get() == TimelineEventType.COMPLETED
              || type.get() == TimelineEventType.CANCELLED)) {
        return Future.succeededFuture(TaskResult.done());
      }
      return Future.failedFuture(RunlaneException.of(
          ErrorCode.TASK_FAILED,
          "connector run %s %s",
          runId,
          bounds
              .terminal()
              .map(end -> "ended with " + end.typeName())
              .orElse("is another process's")));
    });
  }

  /** A read that decides about the durable run, which nobody asks again: a moment without a database is waited for. */
  private <T> Future<T> repeated(Supplier<Future<T>> read) {
    return retries.call(READS, () -> true, read, answer -> false);
  }

  private ActiveRuns activeRuns() {
    return store.activeRuns();
  }
}
