package dev.runlane.connector.schedule;

import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Gathers what a decision is made from. */
final class ScheduleReads {
  private static final Set<RunStatus> ENDED = EnumSet.complementOf(EnumSet.of(RunStatus.SKIPPED));

  private final ConnectorStore store;
  private final ScheduledRuns runs;
  private final int mostRuns;

  ScheduleReads(ConnectorStore store, ScheduledRuns runs, SchedulePlan plan) {
    this.store = store;
    this.runs = runs;
    this.mostRuns = plan.mostRuns();
  }

  /** The active run is read first: one that ends meanwhile is then seen among those that ended. */
  Future<ScheduleFacts> facts(ConnectorSchedule schedule, Instant now) {
    String instanceId = schedule.connector().instanceId();
    return store.activeRuns().findByInstance(instanceId).compose(active -> grant(schedule)
        .compose(grant -> runs.policy(schedule.connector().connectorId()).compose(policy -> store
            .history()
            .outcomes(instanceId, ENDED, mostRuns)
            .map(ended -> new ScheduleFacts(
                schedule,
                policy.orElse(null),
                grant.orElse(null),
                active.orElse(null),
                ended,
                now)))));
  }

  private Future<Optional<Grant>> grant(ConnectorSchedule schedule) {
    String grantId = schedule.grantId();
    return grantId == null
        ? Future.succeededFuture(Optional.empty())
        : store.grants().find(grantId);
  }
}
