package dev.runlane.connector.schedule;

import static dev.runlane.connector.store.StoreCase.HERE;
import static dev.runlane.connector.store.StoreCase.IDS;
import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.done;

import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.history.HistoryQuery;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunResultFacts;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.connector.store.pg.PgScene;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.EndOutcome;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import dev.runlane.connector.store.schedule.PutSchedule;
import dev.runlane.connector.store.schedule.ScheduleNotice;
import dev.runlane.connector.store.schedule.Schedules;
import dev.runlane.connector.store.schedule.SettleSchedule;
import dev.runlane.connector.store.timeline.AppendEvents;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Schedulers in virtual time over real rows. A run is begun for real; how it ends the test says. */
final class ScheduleScene implements AutoCloseable, ScheduledRuns {
  final PgScene postgres = new PgScene();
  final PgConnectorStoreOptions options = postgres.reused();
  final PgConnectorStore store = postgres.connected(options);
  final ManualClock clock = ManualClock.at(NOON);
  final ManualTimers timers = new ManualTimers(clock);
  final List<Request> requests = new ArrayList<>();
  final BlockingQueue<String> answered = new LinkedBlockingQueue<>();
  ConnectorScheduler scheduler = scheduler(store);
  int renewalsToFail;
  Optional<RefreshPolicy> policy = Optional.empty();
  Function<ConnectorRef, Future<Optional<String>>> readiness =
      connector -> Future.succeededFuture(Optional.empty());
  Supplier<Future<?>> beforeStart = Future::succeededFuture;

  ConnectorScheduler scheduler(PgConnectorStore on) {
    return scheduler(on, new SchedulerOptions());
  }

  ConnectorScheduler scheduler(PgConnectorStore on, SchedulerOptions options) {
    return new ConnectorScheduler(on, heard(on.schedules()), this, clock, timers, IDS, options);
  }

  /** One of a process that has none of the connectors. */
  ConnectorScheduler schedulerWithoutConnectors() {
    ScheduledRuns none = new ScheduledRuns() {
      @Override
      public Future<Optional<RefreshPolicy>> policy(String connectorId) {
        return Future.succeededFuture(Optional.empty());
      }

      @Override
      public Future<Start> start(Request request) {
        return Future.succeededFuture(Start.NOT_RUNNABLE);
      }
    };
    return new ConnectorScheduler(
        store, store.schedules(), none, clock, timers, IDS, new SchedulerOptions());
  }

  /** The same schedules; {@link #awaitAnswer} hears what they answered. */
  private Schedules heard(Schedules schedules) {
    return (Schedules) Proxy.newProxyInstance(
        Schedules.class.getClassLoader(),
        new Class<?>[] {Schedules.class},
        (proxy, method, arguments) -> (isFailing(method)
                ? Future.failedFuture("not now")
                : (Future<?>) method.invoke(schedules, arguments))
            .andThen(answer -> answered.add(method.getName())));
  }

  private boolean isFailing(Method method) {
    return method.getName().equals("renew") && renewalsToFail-- > 0;
  }

  /** Waits until a scheduler was answered to a call of this name that nobody waited for before. */
  void awaitAnswer(String name) {
    try {
      String next = "";
      while (!name.equals(next)) {
        next = answered.poll(60, TimeUnit.SECONDS);
        if (next == null) {
          throw new AssertionError("no answer to " + name);
        }
      }
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /** As many, over three stores with a pool each. */
  List<ConnectorScheduler> schedulers(int count) {
    List<PgConnectorStore> stores =
        List.of(store, postgres.connected(options), postgres.connected(options));
    return IntStream.range(0, count)
        .mapToObj(each -> scheduler(stores.get(each % stores.size())))
        .toList();
  }

  /** All look at once, until none has more to look at. */
  void together(List<ConnectorScheduler> schedulers) {
    boolean more = true;
    while (more) {
      List<Future<Boolean>> sweeps =
          schedulers.stream().map(ConnectorScheduler::sweepOnce).toList();
      done(Future.join(sweeps));
      more = sweeps.stream().anyMatch(Future::result);
    }
  }

  @Override
  public Future<Optional<RefreshPolicy>> policy(String connectorId) {
    return Future.succeededFuture(policy);
  }

  @Override
  public Future<Optional<String>> readiness(ConnectorRef connector) {
    return readiness.apply(connector);
  }

  @Override
  public Future<Start> start(Request request) {
    synchronized (requests) {
      requests.add(request);
    }
    return beforeStart
        .get()
        .compose(before -> begin(
            request.connector(), request.trigger(), request.grantId(), request.scheduleClaim()))
        .map(ScheduleScene::start)
        .andThen(start -> answered.add("start"));
  }

  private static Start start(BeginOutcome outcome) {
    if (outcome instanceof BeginOutcome.Begun) {
      return Start.STARTED;
    }
    return outcome instanceof BeginOutcome.ClaimLost ? Start.CLAIM_LOST : Start.ALREADY_ACTIVE;
  }

  private Future<BeginOutcome> begin(
      ConnectorRef connector, RunTrigger trigger, String grantId, String claim) {
    String runId = IDS.runId();
    return store
        .activeRuns()
        .begin(new BeginRun(
            new RunIdentity(runId, "trc_" + runId, connector),
            trigger,
            grantId,
            claim,
            HERE,
            clock.now()));
  }

  /** The owner's run now. */
  void runNow() {
    done(beginNow());
  }

  Future<BeginOutcome> beginNow() {
    return begin(SHELF, RunTrigger.RUN_NOW, null, null);
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
    pass(time, Duration.ofSeconds(1));
  }

  /** Looks only so often meanwhile, where the seconds do not matter. */
  void pass(Duration time, Duration between) {
    for (Duration past = Duration.ZERO; past.compareTo(time) < 0; past = past.plus(between)) {
      clock.advance(between);
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

  /** As after a run of a part of a stream. */
  void succeedWithoutCursors() {
    RunResultFacts kept = result(null, false);
    end(
        RunStatus.SUCCEEDED,
        null,
        null,
        new RunResultFacts(
            kept.recordsEmitted(),
            null,
            Json.ofChecked("{\"commit_status\":\"disabled\"}"),
            kept.knownGaps(),
            null,
            null,
            false));
  }

  /** The process of the run stopped as it was asked to. */
  void stopped() {
    end(
        RunStatus.FAILED,
        "controller_terminated_before_run_finished",
        "controller_stopped",
        result(null, false));
  }

  void end(RunStatus status, String reason, String connectorError, boolean attention) {
    end(status, reason, reason, result(connectorError, attention));
  }

  private void end(RunStatus status, String terminal, String reason, RunResultFacts result) {
    ActiveRun run = active();
    TimelineEventType type =
        status == RunStatus.SUCCEEDED ? TimelineEventType.COMPLETED : TimelineEventType.FAILED;
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
                terminal,
                reason,
                null,
                null,
                result),
            clock.now())));
    if (!(ended instanceof EndOutcome.Ended)) {
      throw new AssertionError(ended);
    }
  }

  /** What every run of the scene hands back. */
  static RunResultFacts result(@Nullable String connectorError, boolean attention) {
    return new RunResultFacts(
        7,
        null,
        Json.ofChecked("{\"commit_status\":\"committed\"}"),
        Json.ofChecked("[{\"kind\":\"skip_result\",\"reason\":\"page_locked\"}]"),
        Json.ofChecked("{\"books\":{\"page\":5}}"),
        connectorError == null ? null : Json.ofChecked(connectorError),
        attention);
  }

  /** A policy of which nothing else is said. */
  static RefreshPolicy policy(RefreshPolicy.Mode mode, @Nullable Duration minimum) {
    return new RefreshPolicy(
        mode,
        "the source is slow",
        null,
        minimum,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  /** The grant {@code grant-1} of the shelf, to be used. */
  void grant(GrantAccessMode mode) {
    done(store
        .grants()
        .put(new Grant("grant-1", "shelf", mode, GrantState.ACTIVE, null), clock.now()));
  }

  GrantState grantState() {
    return done(store.grants().find("grant-1")).orElseThrow().state();
  }

  /** The active run asks its owner. */
  void ask(String interactionId) {
    TimelineEvent asked = TimelineEvent.of(
            IDS,
            TimelineEventType.INTERACTION_REQUIRED,
            "started",
            clock.now(),
            Json.ofChecked("{}"))
        .onInteraction(interactionId);
    done(store.timeline().append(new AppendEvents(active().fence(), List.of(asked), clock.now())));
  }

  /** What would be sent now and was not taken before, each once. */
  List<ScheduleNotice> notices() {
    List<ScheduleNotice> due =
        done(store.schedules().claimNotices(clock.now(), clock.now().plusSeconds(60), 100));
    due.forEach(notice -> done(store.schedules().remove(notice.number())));
    return due.stream().sorted(Comparator.comparingLong(ScheduleNotice::number)).toList();
  }

  List<String> noticeKinds() {
    return notices().stream().map(ScheduleNotice::kind).toList();
  }

  /** Gives the schedule back as one that is not due. */
  SettleSchedule later(String claim, Instant checkAt) {
    return new SettleSchedule(
        SHELF, claim, checkAt, null, null, null, SettleSchedule.NoticeState.NOTHING, clock.now());
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
