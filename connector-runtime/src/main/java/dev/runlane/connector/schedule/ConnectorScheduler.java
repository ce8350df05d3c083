package dev.runlane.connector.schedule;

import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.key.AutomationMode;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import dev.runlane.connector.store.schedule.Schedules;
import dev.runlane.connector.store.schedule.Schedules.LeftToOthers;
import dev.runlane.connector.store.schedule.SettleSchedule;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the runs of schedules that are due. Any number of processes do so over the same rows: a schedule is decided
 * about under a claim, and the run is begun under that claim or not at all. Nothing is kept here, so that a pause
 * between attempts survives this process, and a scheduler that is stopped during one starts nothing.
 *
 * <p>Used on one context, that of the role; {@link #sweepOnce()} is called again when its future is done.
 */
public final class ConnectorScheduler {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectorScheduler.class);

  /** For so long a schedule whose connector is not here is left to other processes. */
  private static final Duration LEFT_TO_OTHERS = Duration.ofMinutes(2);

  private final Schedules schedules;
  private final ScheduledRuns runs;
  private final Clock clock;
  private final Timers timers;
  private final Ids ids;
  private final SchedulerOptions options;
  private final SchedulePlan plan;
  private final ScheduleReads reads;
  private final SkippedRuns skipped;
  private final Set<Waiting> waiting = new HashSet<>();
  private final Set<String> notHere = new HashSet<>(); // connectors that could not be run here
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
    this.schedules = schedules;
    this.runs = runs;
    this.clock = clock;
    this.timers = timers;
    this.ids = ids;
    this.options = new SchedulerOptions(options);
    this.plan = options.plan();
    this.reads = new ScheduleReads(store, runs, plan);
    this.skipped = new SkippedRuns(ids, new NoticePlan(plan));
  }

  /**
   * Looks at the schedules whose time has come; true when there are more. It does not wait for connectors that take
   * their time to say whether they are ready.
   */
  public Future<Boolean> sweepOnce() {
    int room = Math.min(options.getBatchSize(), options.getMaxWaiting() - waiting.size());
    if (stopping || room < 1) {
      return Future.succeededFuture(false);
    }
    Instant now = clock.now();
    String claim = ids.token();
    LeftToOthers left = new LeftToOthers(notHere, now.minus(LEFT_TO_OTHERS));
    return schedules
        .claimDue(claim, now, now.plus(options.getClaim()), room, left)
        .compose(claimed -> {
          List<Future<Boolean>> decided =
              claimed.stream().map(each -> decide(each, claim)).toList();
          return Future.join(decided)
              .map(all -> claimed.size() == room || decided.stream().anyMatch(Future::result));
        });
  }

  /**
   * From now on nothing is started; what waits between two attempts is left to whoever looks next. Completes when the
   * schedules that wait for their connectors are given back; what a sweep has begun is the sweep's to end.
   */
  public Future<Void> stop() {
    stopping = true;
    return Future.join(waiting.stream()
            .map(each -> settle(skipped.later(each.facts, each.facts.now(), each.claim)))
            .toList())
        .mapEmpty();
  }

  /** One schedule that fails keeps no other from its turn; its claim runs out by itself. True: look again at once. */
  private Future<Boolean> decide(ConnectorSchedule schedule, String claim) {
    return reads
        .facts(schedule, clock.now())
        .compose(facts -> follow(facts, plan.decide(facts), claim))
        .recover(failure -> notDecided(schedule.connector().instanceId(), failure));
  }

  private Future<Boolean> notDecided(String instanceId, Throwable failure) {
    LOG.warn(
        "the schedule of {} could not be looked at, it is again in {}",
        instanceId,
        options.getClaim(),
        failure);
    return Future.succeededFuture(false);
  }

  private Future<Boolean> follow(ScheduleFacts facts, ScheduleDecision decision, String claim) {
    if (decision instanceof ScheduleDecision.Wait wait) {
      return settle(skipped.later(facts, wait.checkAt(), claim));
    }
    if (decision instanceof ScheduleDecision.Skip skip) {
      return settle(skipped.skip(facts, skip, claim));
    }
    SettleSchedule first = skipped.later(facts, facts.now(), claim);
    return first.noticeState().notices().isEmpty()
        ? launchWhenReady(facts, (ScheduleDecision.Launch) decision, claim)
        : settle(first).map(true); // a launch tells nothing, so this comes before it
  }

  private Future<Boolean> settle(SettleSchedule command) {
    return schedules.settle(command).map(settled -> {
      if (!settled) {
        LOG.debug(
            "the claim on the schedule of {} was lost", command.connector().instanceId());
      }
      return false;
    });
  }

  /** A connector that does not answer at once is waited for beside the sweep, so that it holds up no other. */
  private Future<Boolean> launchWhenReady(
      ScheduleFacts facts, ScheduleDecision.Launch launch, String claim) {
    if (stopping) {
      return settle(skipped.later(facts, facts.now(), claim));
    }
    Future<Optional<String>> readiness = runs.readiness(facts.schedule().connector());
    if (readiness.isComplete()) {
      return readiness.compose(notReady -> launch(facts, launch, claim, notReady));
    }
    Waiting entry = new Waiting(facts, claim);
    waiting.add(entry);
    held(entry, readiness)
        .compose(answer -> {
          ScheduleFacts then = facts.at(clock.now());
          return answer.isPresent()
              ? launch(then, launch, claim, answer.get())
              : settle(skipped.stuck(then, launch.attempt(), claim));
        })
        .recover(failure -> notDecided(entry.instanceId(), failure))
        .onComplete(over -> waiting.remove(entry));
    return Future.succeededFuture(false);
  }

  /** Holds the claim while readiness is waited for; empty when that takes too long. */
  private Future<Optional<Optional<String>>> held(
      Waiting entry, Future<Optional<String>> readiness) {
    Promise<Optional<Optional<String>>> answer = Promise.promise();
    Timers.Timer limit =
        timers.schedule(options.getGateLimit(), () -> answer.tryComplete(Optional.empty()));
    readiness.onComplete(
        ready -> answer.tryComplete(Optional.of(ready)), failure -> answer.tryFail(failure));
    keep(entry, answer.future());
    return answer.future().eventually(() -> {
      limit.cancel();
      return Future.succeededFuture();
    });
  }

  private void keep(Waiting entry, Future<?> until) {
    timers.schedule(options.getClaim().dividedBy(3), () -> {
      if (!until.isComplete() && !stopping) {
        schedules
            .renew(entry.instanceId(), entry.claim, clock.now().plus(options.getClaim()))
            .onSuccess(held -> {
              if (held) {
                keep(entry, until);
              }
            })
            .onFailure(failure -> {
              LOG.warn(
                  "the claim on the schedule of {} was not renewed", entry.instanceId(), failure);
              keep(entry, until);
            });
      }
    });
  }

  private Future<Boolean> launch(
      ScheduleFacts facts,
      ScheduleDecision.Launch launch,
      String claim,
      Optional<String> notReady) {
    if (notReady.isPresent()) {
      return settle(skipped.skip(
          facts, plan.skip(facts, SkipReason.NOT_READY, notReady.get(), launch.attempt()), claim));
    }
    if (stopping) {
      return settle(skipped.later(facts, facts.now(), claim));
    }
    return runs.start(request(facts, launch, claim))
        .compose(
            start -> started(facts, launch, start, claim),
            failure -> notStarted(facts, launch, failure, claim));
  }

  /** Whatever may pass is left to the next look; a connector that cannot be used is reported like any failure. */
  private Future<Boolean> notStarted(
      ScheduleFacts facts, ScheduleDecision.Launch launch, Throwable failure, String claim) {
    return failure instanceof RunlaneException known && known.code() == ErrorCode.CONNECTOR_INVALID
        ? settle(skipped.invalid(facts, launch.attempt(), claim, known))
        : Future.failedFuture(failure);
  }

  private static ScheduledRuns.Request request(
      ScheduleFacts facts, ScheduleDecision.Launch launch, String claim) {
    boolean singleUse = isSingleUse(facts);
    return new ScheduledRuns.Request(
        facts.schedule().connector(),
        trigger(facts, launch),
        claim,
        facts.schedule().grantId(),
        singleUse ? CollectionMode.FULL_REFRESH : null, // else for who reads the cursors to say
        !singleUse);
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

  private Future<Boolean> started(
      ScheduleFacts facts,
      ScheduleDecision.Launch launch,
      ScheduledRuns.Start start,
      String claim) {
    switch (start) {
      case STARTED -> {
        LOG.info(
            "the schedule of {} has started a run", facts.schedule().connector().instanceId());
        return Future.succeededFuture(false);
      }
      case CLAIM_LOST -> {
        return Future.succeededFuture(false);
      }
      case ALREADY_ACTIVE -> {
        return decideAgain(facts, launch, claim);
      }
      case NOT_RUNNABLE -> {
        return notHere(facts, launch, claim);
      }
    }
    throw new IllegalStateException("no such start: " + start);
  }

  /** Another process may have the connector: only what none of them took for a time is reported. */
  private Future<Boolean> notHere(
      ScheduleFacts facts, ScheduleDecision.Launch launch, String claim) {
    return settle(
        notHere.add(facts.schedule().connector().connectorId())
            ? skipped.later(facts, facts.now(), claim)
            : skipped.skip(
                facts,
                plan.skip(facts, SkipReason.NOT_READY, "no runnable connector", launch.attempt()),
                claim));
  }

  /** Somebody else began a run meanwhile: what is so now decides, and is reported as at any other tick. */
  private Future<Boolean> decideAgain(
      ScheduleFacts before, ScheduleDecision.Launch launch, String claim) {
    return reads.facts(before.schedule(), clock.now()).compose(facts -> {
      ScheduleDecision decision = plan.decide(facts);
      return follow(
          facts,
          decision instanceof ScheduleDecision.Launch
              ? plan.skip(facts, SkipReason.RUN_ALREADY_ACTIVE, null, launch.attempt())
              : decision,
          claim);
    });
  }

  /** A schedule whose connector has not said yet whether it is ready; itself and no other. */
  private static final class Waiting {
    private final ScheduleFacts facts;
    private final String claim;

    Waiting(ScheduleFacts facts, String claim) {
      this.facts = facts;
      this.claim = claim;
    }

    String instanceId() {
      return facts.schedule().connector().instanceId();
    }
  }
}
