package dev.runlane.connector.schedule;

import dev.runlane.connector.protocol.CollectionMode;
import dev.runlane.connector.protocol.RefreshPolicy;
import dev.runlane.connector.store.AutomationMode;
import dev.runlane.connector.store.ConnectorSchedule;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.Grant;
import dev.runlane.connector.store.GrantAccessMode;
import dev.runlane.connector.store.RunTrigger;
import dev.runlane.connector.store.Schedules;
import dev.runlane.connector.store.SettleSchedule;
import dev.runlane.connector.store.StateOutcome;
import dev.runlane.connector.store.StateScope;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the runs of schedules that are due. Any number of processes do so over the same rows: a schedule is decided
 * about under a claim, and the run is begun under that claim or not at all. Nothing is kept here, so that a pause
 * between attempts survives this process, and a scheduler that is stopped during one starts nothing.
 *
 * <p>Used on one context; {@link #sweepOnce()} is called again when its future is done.
 */
public final class ConnectorScheduler {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectorScheduler.class);

  private final ConnectorStore store;
  private final Schedules schedules;
  private final ScheduledRuns runs;
  private final Clock clock;
  private final Timers timers;
  private final Ids ids;
  private final SchedulerOptions options;
  private final ScheduleReads reads;
  private final SkippedRuns skipped;
  private boolean stopping;

  /**
   * A scheduler; the options are copied.
   *
   * @param schedules the store's
   */
  public ConnectorScheduler(
      ConnectorStore store,
      Schedules schedules,
      ScheduledRuns runs,
      Clock clock,
      Timers timers,
      Ids ids,
      SchedulerOptions options) {
    this.store = store;
    this.schedules = schedules;
    this.runs = runs;
    this.clock = clock;
    this.timers = timers;
    this.ids = ids;
    this.options = new SchedulerOptions(options);
    this.reads = new ScheduleReads(store, runs);
    this.skipped = new SkippedRuns(ids);
  }

  /** Looks at the schedules whose time has come; true when there are more. */
  public Future<Boolean> sweepOnce() {
    if (stopping) {
      return Future.succeededFuture(false);
    }
    Instant now = clock.now();
    String claim = ids.token();
    return schedules
        .claimDue(claim, now, now.plus(options.getClaim()), options.getBatchSize())
        .compose(claimed -> Future.join(
                claimed.stream().map(each -> decide(each, claim)).toList())
            .map(claimed.size() == options.getBatchSize()));
  }

  /** From now on nothing is started; what waits between two attempts is left to whoever looks next. */
  public void stop() {
    stopping = true;
  }

  /** One schedule that fails keeps no other from its turn; its claim runs out by itself. */
  private Future<Void> decide(ConnectorSchedule schedule, String claim) {
    return reads
        .facts(schedule, clock.now())
        .compose(facts -> follow(facts, options.plan().decide(facts), claim))
        .recover(failure -> {
          LOG.warn(
              "the schedule of {} could not be looked at, it is again in {}",
              schedule.connector().instanceId(),
              options.getClaim(),
              failure);
          return Future.succeededFuture();
        });
  }

  private Future<Void> follow(ScheduleFacts facts, ScheduleDecision decision, String claim) {
    if (decision instanceof ScheduleDecision.Wait wait) {
      return settle(new SettleSchedule(
          facts.schedule().connector(),
          claim,
          wait.checkAt(),
          facts.schedule().condition(),
          facts.schedule().stopReason(),
          null,
          List.of(),
          facts.now()));
    }
    if (decision instanceof ScheduleDecision.Skip skip) {
      return settle(skipped.settle(facts, skip, claim));
    }
    return launchWhenReady(facts, (ScheduleDecision.Launch) decision, claim);
  }

  private Future<Void> settle(SettleSchedule command) {
    return schedules.settle(command).map(settled -> {
      if (!settled) {
        LOG.debug(
            "the claim on the schedule of {} was lost", command.connector().instanceId());
      }
      return null;
    });
  }

  private Future<Void> launchWhenReady(
      ScheduleFacts facts, ScheduleDecision.Launch launch, String claim) {
    return held(facts, claim, runs.readiness(facts.schedule().connector())).compose(ready -> {
      if (ready.isEmpty()) {
        return settle(skipped.wedged(facts, trigger(facts, launch), claim, clock.now()));
      }
      Optional<String> notReady = ready.get();
      return notReady.isPresent()
          ? settle(skipped.settle(
              facts,
              new ScheduleDecision.Skip(
                  SkipReason.NOT_READY,
                  notReady.get(),
                  "NOT_READY " + notReady.get(),
                  clock.now().plus(options.getTick()),
                  false),
              claim))
          : launch(facts, launch, claim);
    });
  }

  /** Holds the claim while readiness is waited for; empty when that takes too long. */
  private Future<Optional<Optional<String>>> held(
      ScheduleFacts facts, String claim, Future<Optional<String>> readiness) {
    if (readiness.succeeded()) {
      return Future.succeededFuture(Optional.of(readiness.result()));
    }
    Promise<Optional<Optional<String>>> answer = Promise.promise();
    Timers.Timer limit =
        timers.schedule(options.getGateLimit(), () -> answer.tryComplete(Optional.empty()));
    readiness.onComplete(
        ready -> answer.tryComplete(Optional.of(ready)), failure -> answer.tryFail(failure));
    keep(facts.schedule().connector().instanceId(), claim, answer.future());
    return answer.future().eventually(() -> {
      limit.cancel();
      return Future.succeededFuture();
    });
  }

  private void keep(String instanceId, String claim, Future<?> until) {
    timers.schedule(options.getClaim().dividedBy(3), () -> {
      if (!until.isComplete() && !stopping) {
        schedules
            .renew(instanceId, claim, clock.now().plus(options.getClaim()))
            .onSuccess(held -> {
              if (held) {
                keep(instanceId, claim, until);
              }
            })
            .onFailure(failure -> {
              LOG.warn("the claim on the schedule of {} was not renewed", instanceId, failure);
              keep(instanceId, claim, until);
            });
      }
    });
  }

  private Future<Void> launch(ScheduleFacts facts, ScheduleDecision.Launch launch, String claim) {
    return mode(facts).compose(mode -> {
      if (stopping) {
        return Future.succeededFuture();
      }
      return runs.start(request(facts, launch, claim, mode))
          .compose(start -> started(facts, start, claim));
    });
  }

  private ScheduledRuns.Request request(
      ScheduleFacts facts, ScheduleDecision.Launch launch, String claim, CollectionMode mode) {
    return new ScheduledRuns.Request(
        facts.schedule().connector(),
        trigger(facts, launch),
        claim,
        facts.schedule().grantId(),
        mode,
        !isSingleUse(facts));
  }

  private static boolean isSingleUse(ScheduleFacts facts) {
    Grant grant = facts.grant();
    return grant != null && grant.accessMode() == GrantAccessMode.SINGLE_USE;
  }

  private static RunTrigger trigger(ScheduleFacts facts, ScheduleDecision.Launch launch) {
    return RunTrigger.scheduled(automationMode(facts.policy()), launch.attempt());
  }

  /** With nobody there, unless the manifest says that the owner is asked first and then may go. */
  static AutomationMode automationMode(@Nullable RefreshPolicy policy) {
    return policy != null && Boolean.TRUE.equals(policy.assistedAfterOwnerAuth())
        ? AutomationMode.ASSISTED
        : AutomationMode.UNATTENDED;
  }

  /** Everything where there is nothing to go on from. */
  private Future<CollectionMode> mode(ScheduleFacts facts) {
    if (isSingleUse(facts)) {
      return Future.succeededFuture(CollectionMode.FULL_REFRESH);
    }
    return store
        .sink()
        .readState(new StateScope(facts.schedule().connector(), facts.schedule().grantId()))
        .map(state ->
            state instanceof StateOutcome.Found found && found.cursors().isEmpty()
                ? CollectionMode.FULL_REFRESH
                : CollectionMode.INCREMENTAL);
  }

  private Future<Void> started(ScheduleFacts facts, ScheduledRuns.Start start, String claim) {
    String instanceId = facts.schedule().connector().instanceId();
    return switch (start) {
      case STARTED -> {
        LOG.info("the schedule of {} has started a run", instanceId);
        yield Future.succeededFuture();
      }
      case CLAIM_LOST -> Future.succeededFuture();
      case ALREADY_ACTIVE ->
        settle(skipped.settle(
            facts,
            new ScheduleDecision.Skip(
                SkipReason.RUN_ALREADY_ACTIVE,
                null,
                SkipReason.RUN_ALREADY_ACTIVE.name(),
                clock.now().plus(options.getTick()),
                false),
            claim));
      case NOT_RUNNABLE ->
        settle(skipped.settle(
            facts,
            new ScheduleDecision.Skip(
                SkipReason.NOT_READY,
                "no runnable connector",
                "NOT_READY not_runnable",
                clock.now().plus(options.getTick()),
                false),
            claim));
    };
  }
}
