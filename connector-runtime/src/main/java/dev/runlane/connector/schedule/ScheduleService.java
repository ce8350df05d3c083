package dev.runlane.connector.schedule;

import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunStats;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.AutomationMode;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import dev.runlane.connector.store.schedule.PutSchedule;
import dev.runlane.connector.store.schedule.Schedules;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Schedules in the owner's hands: made, paused, resumed, deleted and shown. Safe for use by any thread. Futures fail
 * with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for times out of range and with {@link
 * dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}.
 */
public final class ScheduleService {
  private final ConnectorStore store;
  private final Schedules schedules;
  private final ScheduledRuns runs;
  private final Clock clock;
  private final SchedulePlan plan;
  private final ScheduleReads reads;

  /** The service of a store's schedules. */
  public ScheduleService(
      ConnectorStore store,
      Schedules schedules,
      ScheduledRuns runs,
      Clock clock,
      SchedulerOptions options) {
    this.store = store;
    this.schedules = schedules;
    this.runs = runs;
    this.clock = clock;
    this.plan = options.plan();
    this.reads = new ScheduleReads(store, runs, plan);
  }

  /** Stores a schedule, in the place of one of this connection; its {@code now} is the caller's. */
  public Future<ScheduleChange> put(PutSchedule command) {
    Future<Optional<String>> refusal =
        command.enabled() ? against(command.connector()) : Future.succeededFuture(Optional.empty());
    return refusal.compose(against -> against.isPresent()
        ? Future.succeededFuture(new ScheduleChange.AgainstPolicy(against.get()))
        : schedules.put(command).compose(this::view).map(ScheduleChange.Changed::new));
  }

  /** Pauses a schedule; a run that is active continues. */
  public Future<ScheduleChange> pause(String instanceId) {
    return schedules.pause(instanceId, clock.now()).compose(this::changed);
  }

  /** Resumes a schedule, unless the manifest's policy is against it. */
  public Future<ScheduleChange> resume(String instanceId) {
    return schedules
        .find(instanceId)
        .compose(found -> found.isEmpty()
            ? Future.succeededFuture(Optional.<String>empty())
            : against(found.get().connector()))
        .compose(against -> against.isPresent()
            ? Future.succeededFuture(new ScheduleChange.AgainstPolicy(against.get()))
            : schedules.resume(instanceId, clock.now()).compose(this::changed));
  }

  /** Deletes a schedule; a run that is active continues. False when there is none. */
  public Future<Boolean> delete(String instanceId) {
    return schedules.delete(instanceId);
  }

  /** The schedule of a connection. */
  public Future<Optional<ScheduleView>> find(String instanceId) {
    return schedules
        .find(instanceId)
        .compose(found -> found.isEmpty()
            ? Future.succeededFuture(Optional.empty())
            : view(found.get()).map(Optional::of));
  }

  /** All schedules, by connection. */
  public Future<List<ScheduleView>> list() {
    return schedules.list().compose(found -> {
      List<Future<ScheduleView>> views = found.stream().map(this::view).toList();
      return Future.join(views).map(all -> views.stream().map(Future::result).toList());
    });
  }

  private Future<Optional<String>> against(ConnectorRef connector) {
    return runs.policy(connector.connectorId()).map(declared -> declared
        .filter(policy -> !policy.allowsAutomaticRuns())
        .map(ScheduleService::againstPolicy));
  }

  private static String againstPolicy(RefreshPolicy policy) {
    return "the connector recommends " + policy.recommendedMode().value() + " runs: "
        + policy.rationale();
  }

  private Future<ScheduleChange> changed(Optional<ConnectorSchedule> schedule) {
    return schedule.isEmpty()
        ? Future.succeededFuture(new ScheduleChange.NotFound())
        : view(schedule.get()).map(ScheduleChange.Changed::new);
  }

  private Future<ScheduleView> view(ConnectorSchedule schedule) {
    return reads.facts(schedule, clock.now()).compose(facts -> store
        .history()
        .stats(schedule.connector().instanceId())
        .map(stats -> view(facts, stats)));
  }

  private ScheduleView view(ScheduleFacts facts, RunStats stats) {
    ConnectorSchedule schedule = facts.schedule();
    RefreshPolicy policy = facts.policy();
    ActiveRun active = facts.active();
    RefreshPolicy.Mode mode = mode(schedule, policy);
    Optional<ScheduleGates.Held> closed = plan.held(facts);
    boolean asks = active != null && active.pendingInteraction() != null;
    String held = ineligibility(facts, mode, closed, asks);
    Instant next = held == null ? plan.nextDueAt(facts) : null;
    return new ScheduleView(
        schedule,
        mode,
        held,
        policy,
        minimumWarning(schedule, policy),
        active == null ? null : active.run().runId(),
        stats,
        lastError(facts),
        next,
        asks || closed.filter(ScheduleGates.Held::needsPerson).isPresent(),
        mode == RefreshPolicy.Mode.AUTOMATIC
            ? ConnectorScheduler.automationMode(policy)
            : AutomationMode.MANUAL_ONLY,
        facts.streak());
  }

  private static RefreshPolicy.Mode mode(
      ConnectorSchedule schedule, @Nullable RefreshPolicy policy) {
    boolean allowed = policy == null || policy.allowsAutomaticRuns();
    if (!schedule.enabled()
        || (policy != null && policy.recommendedMode() == RefreshPolicy.Mode.PAUSED)) {
      return RefreshPolicy.Mode.PAUSED;
    }
    return allowed ? RefreshPolicy.Mode.AUTOMATIC : RefreshPolicy.Mode.MANUAL;
  }

  private static @Nullable String ineligibility(
      ScheduleFacts facts,
      RefreshPolicy.Mode mode,
      Optional<ScheduleGates.Held> closed,
      boolean asks) {
    ConnectorSchedule schedule = facts.schedule();
    if (!schedule.enabled()) {
      return "paused by the owner";
    }
    if (mode != RefreshPolicy.Mode.AUTOMATIC) {
      return facts.policy() == null ? null : againstPolicy(facts.policy());
    }
    if (schedule.stopReason() != null) {
      return schedule.stopReason();
    }
    return asks
        ? "the active run waits for an answer"
        : closed.map(ScheduleGates.Held::describe).orElse(null);
  }

  private static @Nullable String minimumWarning(
      ConnectorSchedule schedule, @Nullable RefreshPolicy policy) {
    Duration least = policy == null ? null : policy.minimumInterval();
    return least == null || schedule.interval().compareTo(least) >= 0
        ? null
        : "the connector recommends at least " + least.toSeconds() + " seconds between two runs";
  }

  private static @Nullable String lastError(ScheduleFacts facts) {
    return facts
        .last()
        .filter(run -> run.status() != RunStatus.SUCCEEDED)
        .map(RunHistoryEntry::failureReason)
        .orElse(null);
  }
}
