package dev.runlane.drills.schedules;

import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import dev.runlane.connector.schedule.ConnectorScheduler;
import dev.runlane.connector.schedule.ScheduledRuns;
import dev.runlane.connector.schedule.SchedulerOptions;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.history.HistoryQuery;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunResultFacts;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.schedule.PutSchedule;
import dev.runlane.connector.store.schedule.ScheduleNotice;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.drills.process.Await;
import dev.runlane.run.Json;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A program that schedules one connector through everything a schedule goes through, in virtual time: retries, a
 * back-off that starts, delays and ends, a run that needs a person and the owner's own run, and a single-use grant.
 * What comes next it reads from what is stored, so that another one continues where it died.
 */
final class CrashingSchedules implements ScheduledRuns {
  static final Duration INTERVAL = Duration.ofMinutes(10);
  static final Instant START = Instant.parse("2026-03-04T12:00:00Z");

  /** How the runs end, one after another; one is the owner's own. */
  static final List<End> ENDS = List.of(
      new End("rate_limit_error", null, 1),
      new End("permission_error", null, 2),
      new End("permission_error", null, 1),
      new End("permission_error", null, 1),
      new End("permission_error", null, 1),
      new End(null, null, 1),
      new End("connector_reported_failed", "{\"code\":\"session_expired\"}", 1),
      new End(null, null, 1, true),
      new End(null, null, 1));

  private static final ConnectorRef SHELF = ConnectorRef.of("shelf");
  private static final Duration STEP = Duration.ofMinutes(2);
  private static final int MOST_STEPS = 2_000;
  private static final Ids IDS = new Ids(Clock.system(), Randomness.system());

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final ManualClock clock;
  private final PgConnectorStore store;
  private final ConnectorScheduler scheduler;
  private volatile boolean dead;

  private CrashingSchedules(PgConnectOptions database, String schema, ManualClock clock) {
    this.clock = clock;
    store = PgConnectorStore.create(
        vertx,
        new PgConnectorStoreOptions()
            .setSchema(schema)
            .setConnectOptions(database)
            .setPoolOptions(new PoolOptions().setMaxSize(2)));
    scheduler = new ConnectorScheduler(
        store,
        store.schedules(),
        this,
        clock,
        new ManualTimers(clock),
        IDS,
        new SchedulerOptions());
  }

  /** Connected, but doing nothing. */
  static CrashingSchedules open(PgConnectOptions database, String schema, ManualClock clock) {
    CrashingSchedules made = new CrashingSchedules(database, schema, clock);
    Await.result(made.store.connect());
    return made;
  }

  /** What the owner wants. */
  void prepare() {
    Await.result(store
        .grants()
        .put(
            new Grant("once", "shelf", GrantAccessMode.SINGLE_USE, GrantState.ACTIVE, null),
            clock.now()));
    Await.result(store
        .schedules()
        .put(new PutSchedule(SHELF, INTERVAL, Duration.ZERO, true, "once", clock.now())));
  }

  /** Goes on until there is nothing more to do, or until it is dead. */
  void run() {
    for (int step = 0; step < MOST_STEPS && !isOver(); step++) {
      while (!dead && Await.result(scheduler.sweepOnce())) {}
      if (!dead) {
        work();
      }
      clock.advance(STEP);
    }
    if (!isOver()) {
      throw new AssertionError("it does not come to an end");
    }
  }

  /** What a worker and the owner do. */
  private void work() {
    Optional<ActiveRun> active = Await.result(store.activeRuns().findByInstance("shelf"));
    int ended = ended().size();
    if (active.isPresent()) {
      Await.result(store.runEnds().end(end(active.get(), ENDS.get(ended))));
    } else if (ended < ENDS.size() && ENDS.get(ended).byOwner() && isTold("needs_human")) {
      Await.result(begin(RunTrigger.RUN_NOW, null, null));
      work(); // before the next tick, which would find it active
    }
  }

  /** Every run has ended, and the first tick after the grant was used has been told. */
  private boolean isOver() {
    return dead || ended().size() == ENDS.size() && isTold("single-use");
  }

  private boolean isTold(String start) {
    return skips().stream().anyMatch(words -> words.startsWith(start));
  }

  List<RunHistoryEntry> ended() {
    return entries(Set.of(RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED));
  }

  /** What the history says of runs that were not started, the oldest first. */
  List<String> skips() {
    return entries(Set.of(RunStatus.SKIPPED)).stream()
        .map(entry -> String.valueOf(entry.error()))
        .toList();
  }

  private List<RunHistoryEntry> entries(Set<RunStatus> statuses) {
    return Await.result(store.history().list(new HistoryQuery("shelf", statuses, null, 500)))
        .stream()
        .sorted(Comparator.comparingLong(RecordedRun::number))
        .map(RecordedRun::entry)
        .toList();
  }

  long counted() {
    return Await.result(store.history().stats("shelf")).totalRuns();
  }

  List<String> notices() {
    Instant late = clock.now().plus(Duration.ofDays(1));
    return Await.result(store.schedules().claimNotices(late, late.plusSeconds(1), 100)).stream()
        .sorted(Comparator.comparingLong(ScheduleNotice::number))
        .map(ScheduleNotice::kind)
        .toList();
  }

  GrantState grant() {
    return Await.result(store.grants().find("once")).orElseThrow().state();
  }

  /** It died: nothing more comes from it. */
  void abandon() {
    dead = true;
    close();
  }

  void close() {
    Await.result(vertx.close());
  }

  @Override
  public Future<Optional<RefreshPolicy>> policy(String connectorId) {
    return Future.succeededFuture(Optional.empty());
  }

  @Override
  public Future<Start> start(Request request) {
    return begin(request.trigger(), request.grantId(), request.scheduleClaim()).map(outcome -> {
      if (outcome instanceof BeginOutcome.Begun) {
        return Start.STARTED;
      }
      return outcome instanceof BeginOutcome.ClaimLost ? Start.CLAIM_LOST : Start.ALREADY_ACTIVE;
    });
  }

  /** Only the last run is under the grant: an earlier success would use it up. */
  private Future<BeginOutcome> begin(
      RunTrigger trigger, @Nullable String grantId, @Nullable String claim) {
    String runId = IDS.runId();
    return store.history().stats("shelf").compose(stats -> store
        .activeRuns()
        .begin(new BeginRun(
            new RunIdentity(runId, "trc_" + runId, SHELF),
            trigger,
            stats.totalRuns() == ENDS.size() - 1 ? grantId : null,
            claim,
            new ControllerProcess("ctl", "host", "boot", 1, 1, null),
            clock.now())));
  }

  private EndRun end(ActiveRun run, End how) {
    boolean succeeded = how.reason() == null;
    String error = how.connectorError();
    return new EndRun(
        run.fence(),
        List.of(TimelineEvent.of(
            IDS,
            succeeded ? TimelineEventType.COMPLETED : TimelineEventType.FAILED,
            "done",
            clock.now(),
            Json.ofChecked("{}"))),
        List.of(),
        new RunHistoryEntry(
            run.run(),
            run.trigger(),
            succeeded ? RunStatus.SUCCEEDED : RunStatus.FAILED,
            run.startedAt(),
            clock.now(),
            how.reason(),
            how.reason(),
            null,
            null,
            new RunResultFacts(
                1,
                null,
                null,
                Json.ofChecked("[]"),
                null,
                error == null ? null : Json.ofChecked(error),
                false)),
        clock.now());
  }

  /**
   * How a run ends.
   *
   * @param reason why it failed, or null
   * @param connectorError what its connector said, or null
   * @param attempt which attempt it is to be
   * @param byOwner whether it is the owner's own
   */
  record End(
      @Nullable String reason, @Nullable String connectorError, int attempt, boolean byOwner) {
    End(@Nullable String reason, @Nullable String connectorError, int attempt) {
      this(reason, connectorError, attempt, false);
    }
  }
}
