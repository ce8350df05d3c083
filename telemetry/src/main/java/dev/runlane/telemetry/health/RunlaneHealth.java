package dev.runlane.telemetry.health;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.observe.ClockState;
import dev.runlane.runtime.observe.RefusedOutcome;
import dev.runlane.runtime.observe.RefusedOutcomes;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.healthchecks.HealthChecks;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Whether a process is alive, and whether it is ready for work. What is down says in its data what is wrong, as {@code
 * problem}, and what a person does about it, as {@code remedy}. A restart mends what is not alive; it mends nothing of
 * what is not ready, and runs are safe meanwhile.
 *
 * <p>Each answer counts for a while, so any number of probes costs little. For any thread.
 */
public final class RunlaneHealth {
  private final Vertx vertx;
  private final RunlaneHealthOptions options;
  private final Timers timers;
  private final Map<String, HealthProbe> alive = new LinkedHashMap<>();
  private final Map<String, HealthProbe> ready = new LinkedHashMap<>();

  private RunlaneHealth(Vertx vertx, Runlane runlane, RunlaneHealthOptions options) {
    this.vertx = vertx;
    this.options = options;
    timers = Timers.of(vertx);
    EventLoops loops = new EventLoops(vertx);
    ask(
        alive,
        "event-loops",
        "an event loop",
        "A handler blocks an event loop: the log names it ('has been blocked'). Make it a blockingHandler, or call what"
            + " blocks elsewhere. Restart the process where it does not go on by itself.",
        loops::turn);
    StorageAdapter storage = runlane.lane().storage();
    ask(
        ready,
        "storage",
        "the storage",
        "See whether the database is up, reachable from this process and not out of connections. Runs are safe; work goes on"
            + " by itself once it answers.",
        () -> storage
            .clock()
            .<Future<Void>>map(clock -> clock.now().mapEmpty())
            .orElseGet(() ->
                storage.getRun(new GetRun(runlane.environment(), "health")).mapEmpty()));
    storage
        .cancellations()
        .map(source -> new Notices(
            source,
            runlane.environment(),
            new Ids(Clock.system(), Randomness.system()),
            timers,
            options.getTimeout()))
        .ifPresent(notices -> ask(
            ready,
            "listener",
            "the listener",
            "The connection that LISTENs is lost, or leads through a pooler in transaction mode: give the storage listenOptions"
                + " that lead past it. Work goes on, but wakeups and cancellations wait for the next look.",
            notices::hear));
    storage
        .schema()
        .ifPresent(schema -> ask(
            ready,
            "migrations",
            "the schema",
            "Apply the migrations of this release: start one process with migrate on, or run them as a role that may. Where a"
                + " checksum differs, somebody edited a migration: restore its text.",
            schema::verify));
    ask(
        ready,
        "clock",
        "the clock",
        "This process takes no work until its clock agrees with the database's: mend time synchronisation (NTP, chrony) on the"
            + " host that is off.",
        () -> agree(runlane.clock()));
    ask(
        ready,
        "outcomes",
        "the runtime",
        "Finished work is kept and stored once that is mended: see what refuses it, such as a trigger on a table of Runlane's or a"
            + " right that is missing ('runlane doctor' names them). Until then this process takes no run.",
        () -> runlane.refusedOutcomes().compose(RunlaneHealth::takeRuns));
    runlane
        .lane()
        .transport()
        .probe()
        .ifPresent(broker -> ask(
            ready,
            "broker",
            "the broker",
            "See whether the broker is up and reachable from this process. Wakeups wait in the outbox and work goes on, later,"
                + " by polling; nothing is lost.",
            broker::probe));
  }

  /** The health of one runtime, which need not have started yet. */
  public static RunlaneHealth create(Vertx vertx, Runlane runlane) {
    return create(vertx, runlane, new RunlaneHealthOptions());
  }

  /** The same with other bounds. */
  public static RunlaneHealth create(Vertx vertx, Runlane runlane, RunlaneHealthOptions options) {
    return new RunlaneHealth(vertx, runlane, new RunlaneHealthOptions(options));
  }

  /** Checks of whether the process is alive, by itself. */
  public HealthChecks liveness() {
    HealthChecks checks = HealthChecks.create(vertx);
    registerLiveness(checks);
    return checks;
  }

  /** Checks of whether the process is ready for work, by itself. */
  public HealthChecks readiness() {
    HealthChecks checks = HealthChecks.create(vertx);
    registerReadiness(checks);
    return checks;
  }

  /** Adds the checks of liveness to the application's own, each under a name that begins with {@code runlane/}. */
  public void registerLiveness(HealthChecks checks) {
    register(checks, alive);
  }

  /** Adds the checks of readiness to the application's own, each under a name that begins with {@code runlane/}. */
  public void registerReadiness(HealthChecks checks) {
    register(checks, ready);
  }

  /** Each question has its own bound and says more when it is over than the bound of the checks does. */
  private void register(HealthChecks checks, Map<String, HealthProbe> questions) {
    Duration bound = options.getTimeout().multipliedBy(2);
    questions.forEach(
        (name, question) -> checks.register("runlane/" + name, bound.toMillis(), question::answer));
  }

  private void ask(
      Map<String, HealthProbe> questions,
      String name,
      String what,
      String remedy,
      Supplier<Future<Void>> question) {
    questions.put(name, new HealthProbe(timers, options, what, remedy, question));
  }

  /** As long as there is a place for one. */
  private static Future<Void> takeRuns(RefusedOutcomes refused) {
    if (!refused.takeAllPlaces()) {
      return Future.succeededFuture();
    }
    RefusedOutcome first = refused.outcomes().get(0);
    return Future.failedFuture(RunlaneException.of(
        ErrorCode.INTERNAL_ERROR,
        "the storage refuses the outcomes of %s runs, which leaves no place for others; that of run %s of task %s since %s: %s",
        refused.outcomes().size(),
        first.runId(),
        first.taskId(),
        first.since(),
        first.message()));
  }

  private static Future<Void> agree(ClockState clock) {
    return clock.agrees()
        ? Future.succeededFuture()
        : Future.failedFuture(RunlaneException.of(
            ErrorCode.CONFIGURATION_INVALID,
            "the clock of this process is %s %s the storage's, and may be off by %s",
            clock.ahead().abs(),
            clock.ahead().isNegative() ? "behind" : "ahead of",
            clock.tolerated()));
  }
}
