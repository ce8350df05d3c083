package dev.runlane.connector.schedule;

import static dev.runlane.connector.store.StoreCase.HERE;
import static dev.runlane.connector.store.StoreCase.IDS;
import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.done;

import dev.runlane.connector.protocol.RefreshPolicy;
import dev.runlane.connector.store.ActiveRun;
import dev.runlane.connector.store.BeginOutcome;
import dev.runlane.connector.store.BeginRun;
import dev.runlane.connector.store.ConnectorRef;
import dev.runlane.connector.store.ConnectorSchedule;
import dev.runlane.connector.store.EndOutcome;
import dev.runlane.connector.store.EndRun;
import dev.runlane.connector.store.HistoryQuery;
import dev.runlane.connector.store.PutSchedule;
import dev.runlane.connector.store.RecordedRun;
import dev.runlane.connector.store.RunHistoryEntry;
import dev.runlane.connector.store.RunIdentity;
import dev.runlane.connector.store.RunResultFacts;
import dev.runlane.connector.store.RunStatus;
import dev.runlane.connector.store.RunTrigger;
import dev.runlane.connector.store.TimelineEvent;
import dev.runlane.connector.store.TimelineEventType;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.connector.store.pg.PgScene;
import dev.runlane.run.Json;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Schedulers in virtual time over real rows. A run is begun for real; how it ends the test says. */
final class ScheduleScene implements AutoCloseable, ScheduledRuns {
  final PgScene postgres = new PgScene();
  final PgConnectorStoreOptions options = postgres.options();
  final PgConnectorStore store = postgres.connected(options);
  final ManualClock clock = ManualClock.at(NOON);
  final ManualTimers timers = new ManualTimers(clock);
  final ConnectorScheduler scheduler = scheduler(store);
  final List<Request> requests = new ArrayList<>();
  Optional<RefreshPolicy> policy = Optional.empty();
  Future<Optional<String>> readiness = Future.succeededFuture(Optional.empty());

  ConnectorScheduler scheduler(PgConnectorStore on) {
    return new ConnectorScheduler(
        on, on.schedules(), this, clock, timers, IDS, new SchedulerOptions());
  }

  @Override
  public Optional<RefreshPolicy> policy(String connectorId) {
    return policy;
  }

  @Override
  public Future<Optional<String>> readiness(ConnectorRef connector) {
    return readiness;
  }

  @Override
  public Future<Start> start(Request request) {
    synchronized (requests) {
      requests.add(request);
    }
    return begin(request.trigger(), request.grantId(), request.scheduleClaim()).map(outcome -> {
      if (outcome instanceof BeginOutcome.Begun) {
        return Start.STARTED;
      }
      return outcome instanceof BeginOutcome.ClaimLost ? Start.CLAIM_LOST : Start.ALREADY_ACTIVE;
    });
  }

  private Future<BeginOutcome> begin(RunTrigger trigger, String grantId, String claim) {
    String runId = IDS.runId();
    return store
        .activeRuns()
        .begin(new BeginRun(
            new RunIdentity(runId, "trc_" + runId, SHELF),
            trigger,
            grantId,
            claim,
            HERE,
            clock.now()));
  }

  /** The owner's run now. */
  void runNow() {
    done(begin(RunTrigger.RUN_NOW, null, null));
  }

  void every(Duration interval) {
    every(interval, null);
  }

  void every(Duration interval, String grantId) {
    done(store
        .schedules()
        .put(new PutSchedule(SHELF, interval, Duration.ZERO, true, grantId, clock.now())));
  }

  /** Everything that is waiting now is looked at. */
  void sweep() {
    while (done(scheduler.sweepOnce())) {}
  }

  /** Looks once a second meanwhile, as the loop does. */
  void pass(Duration time) {
    for (long second = 0; second < time.toSeconds(); second++) {
      clock.advance(Duration.ofSeconds(1));
      sweep();
    }
  }

  ActiveRun active() {
    return done(store.activeRuns().findByInstance("shelf")).orElseThrow();
  }

  boolean isRunning() {
    return done(store.activeRuns().findByInstance("shelf")).isPresent();
  }

  void succeed() {
    end(RunStatus.SUCCEEDED, null, null, false);
  }

  void fail(String reason) {
    end(RunStatus.FAILED, reason, null, false);
  }

  void end(RunStatus status, String reason, String connectorError, boolean attention) {
    ActiveRun run = active();
    TimelineEventType type =
        status == RunStatus.SUCCEEDED ? TimelineEventType.COMPLETED : TimelineEventType.FAILED;
    RunResultFacts result = new RunResultFacts(
        7,
        null,
        Json.ofChecked("{\"commit_status\":\"committed\"}"),
        Json.ofChecked("[]"),
        Json.ofChecked("{\"books\":{\"page\":5}}"),
        connectorError == null ? null : Json.ofChecked(connectorError),
        attention);
    EndOutcome ended = done(store
        .runEnds()
        .end(new EndRun(
            run.fence(),
            List.of(TimelineEvent.of(IDS, type, "done", clock.now(), Json.ofChecked("{}"))),
            List.of(),
            new RunHistoryEntry(
                run.run(),
                run.trigger(),
                status,
                run.startedAt(),
                clock.now(),
                reason,
                reason,
                null,
                null,
                result),
            clock.now())));
    if (!(ended instanceof EndOutcome.Ended)) {
      throw new AssertionError(ended);
    }
  }

  ConnectorSchedule schedule() {
    return done(store.schedules().find("shelf")).orElseThrow();
  }

  /** What the history says of runs that were not started, the oldest first. */
  List<String> skips() {
    List<String> skips = new ArrayList<>();
    done(store.history().list(new HistoryQuery("shelf", Set.of(RunStatus.SKIPPED), null, 100)))
        .forEach(run -> skips.add(0, run.entry().error()));
    return skips;
  }

  List<RecordedRun> history() {
    return done(store.history().list(HistoryQuery.newest("shelf")));
  }

  /** The attempts that were asked for. */
  List<Integer> attempts() {
    return requests.stream().map(request -> request.trigger().attempt()).toList();
  }

  @Override
  public void close() {
    postgres.close();
  }
}
