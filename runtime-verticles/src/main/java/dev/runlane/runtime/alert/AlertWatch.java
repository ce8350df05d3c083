package dev.runlane.runtime.alert;

import static java.util.stream.Collectors.toMap;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertChange;
import dev.runlane.operator.alert.AlertDelivery;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ClaimAlertDeliveries;
import dev.runlane.operator.alert.FinishAlertDeliveries;
import dev.runlane.operator.alert.FinishAlertDeliveries.Outcome;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.FailureLog;
import dev.runlane.webhook.Receivers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the rules, one process at a time, and tells channels of what opened and what was resolved. What is found and
 * who is to be told is stored at once, and told behind that: whoever is killed in between tells late or twice.
 */
final class AlertWatch implements SweepRole {
  private static final Logger LOG = LoggerFactory.getLogger(AlertWatch.class);
  /** How many of its notices a channel is given at once. */
  static final int AT_ONCE = 2;

  /** How long something is held at most before its rule is asked again: somebody may end a silence sooner. */
  static final Duration HELD_AT_ONCE = Duration.ofMinutes(5);

  private static final int PAGE = 200;
  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
  private static final Backoff BACKOFF =
      Backoff.exponential(SHORTEST_PAUSE, Duration.ofHours(1)).withJitter(0.2);

  private final RuntimeContext context;
  private final OperatorStore store;
  private final AlertRules rules;
  private final AlertConditions conditions;
  private final Map<String, AlertChannel> channels;
  private final AlertOptions options;
  private final BiFunction<AlertChannel, AlertNotice, Future<Void>> tell;
  private final Receivers receivers;
  private final Map<String, FailureLog> failures = new HashMap<>();
  private final FailureLog readings;
  private final FailureLog counts;
  private Map<String, StoredRule> lastRead = Map.of(); // rules by their ids, on the home context
  private @Nullable Duration nextLook; // on the timers' own time, whatever the clock does

  /**
   * Throws {@code CapabilityUnsupported} where the storage keeps nothing for operators, and {@code
   * ConfigurationInvalid} where a channel is given twice.
   */
  AlertWatch(
      RuntimeContext context,
      List<AlertChannel> channels,
      AlertOptions options,
      BiFunction<AlertChannel, AlertNotice, Future<Void>> tell) {
    this.context = context;
    this.options = options;
    this.tell = tell;
    this.receivers = new Receivers(context.timers());
    this.readings = new FailureLog(LOG, "reading alert rules", context.timers());
    this.counts = new FailureLog(LOG, "counting what waits", context.timers());
    this.store = context
        .storage()
        .operator()
        .orElseThrow(() -> RunlaneException.of(
            ErrorCode.CAPABILITY_UNSUPPORTED,
            "alerts need a storage that keeps something for operators"));
    this.rules = new AlertRules(store, context.environment());
    this.conditions = new AlertConditions(store, context.environment(), context.ids());
    this.channels = byName(channels);
  }

  private static Map<String, AlertChannel> byName(List<AlertChannel> channels) {
    Map<String, AlertChannel> byName = new LinkedHashMap<>();
    for (AlertChannel channel : channels) {
      if (byName.putIfAbsent(channel.name(), channel) != null) {
        throw RunlaneException.configurationInvalid("channel %s is given twice", channel.name());
      }
    }
    return byName;
  }

  @Override
  public Future<Boolean> sweepOnce() {
    return look().compose(looked -> deliver());
  }

  /** What is due next is not known: it is looked for after the idle delay. */
  @Override
  public Optional<Instant> nextDue() {
    return Optional.empty();
  }

  private Future<Void> look() {
    Instant now = context.clock().now();
    Duration elapsed = context.timers().elapsed();
    if (nextLook != null && elapsed.compareTo(nextLook) < 0) {
      return Future.succeededFuture();
    }
    return rules
        .beginPass(now, options.getEvery(), List.copyOf(channels.keySet()))
        .compose(pass -> {
          if (pass == AlertRules.Pass.OF_ANOTHER) {
            return Future.succeededFuture(); // asked again by the next sweep: the other may be gone
          }
          nextLook = elapsed.plus(options.getEvery());
          return count(now)
              .compose(counted -> rules.known())
              .compose(known -> observe(known, pass, now));
        });
  }

  /**
   * Where no process with a role or a worker lives any more, nobody else counts what waits. The rules are looked at all
   * the same where it cannot be counted: some need no counts, and the others go by the last.
   */
  private Future<Void> count(Instant now) {
    return store
        .takeSample(new TakeSample(context.environment(), now, TakeSample.EVERY))
        .<Void>map(taken -> {
          counts.succeeded();
          return null;
        })
        .otherwise(failure -> {
          counts.failed(failure, "rules go by what was counted last");
          return null;
        });
  }

  /** Each rule by itself: one that fails is looked at again in the next pass, and holds no other back. */
  private Future<Void> observe(AlertRules.Known known, AlertRules.Pass pass, Instant now) {
    Future<Void> all = Future.succeededFuture();
    for (StoredRule each : known.readable()) {
      all = then(all, () -> observe(each.rule(), pass, now));
    }
    return then(all, () -> resolveOrphans(known.ids(), now));
  }

  /** The next one whatever became of those before; fails as the first that failed. */
  private static Future<Void> then(Future<Void> before, Supplier<Future<Void>> next) {
    return before.transform((done, failure) -> failure == null
        ? next.get()
        : next.get().transform((also, another) -> {
          if (another != null) {
            LOG.debug("one more rule could not be looked at", another);
          }
          return Future.failedFuture(failure);
        }));
  }

  private Future<Void> observe(AlertRule rule, AlertRules.Pass pass, Instant now) {
    List<String> told = rule.isSilentAt(now) ? List.of() : rule.channels();
    return (rule.isEnabled()
            ? conditions.find(rule, pass, now)
            : Future.succeededFuture(List.<AlertFinding>of()))
        .compose(found -> store.observeAlerts(
            new ObserveAlerts(context.environment(), rule.id(), found, told, now)));
  }

  /** Alerts of rules that were removed. */
  private Future<Void> resolveOrphans(Set<String> ruleIds, Instant now) {
    return AlertConditions.all(cursor ->
            store.listAlerts(new ListAlerts(context.environment(), null, true, PAGE, cursor)))
        .compose(open -> Future.all(open.stream()
                .map(Alert::ruleId)
                .filter(each -> !ruleIds.contains(each))
                .distinct()
                .map(each -> store.observeAlerts(
                    new ObserveAlerts(context.environment(), each, List.of(), List.of(), now)))
                .toList())
            .mapEmpty());
  }

  private Future<Boolean> deliver() {
    AtomicBoolean more = new AtomicBoolean();
    RulesOfSweep sweep = new RulesOfSweep();
    return receivers.free(channels.keySet()).compose(free -> {
      Map<String, Supplier<Future<Void>>> work = new LinkedHashMap<>();
      free.forEach(channel -> work.put(channel, () -> deliver(channel, sweep, more)));
      return receivers.tell(work).map(told -> more.get());
    });
  }

  /** As many as the channel takes at once: a claim holds what waits no longer than what is sent. */
  private Future<Void> deliver(String channel, RulesOfSweep sweep, AtomicBoolean more) {
    String token = context.ids().token();
    return store
        .claimAlertDeliveries(new ClaimAlertDeliveries(
            context.environment(),
            List.of(channel),
            token,
            context.clock().now(),
            options.getRequestTimeout().multipliedBy(3),
            AT_ONCE))
        .compose(claimed -> {
          if (claimed.isEmpty()) {
            return Future.succeededFuture();
          }
          return sweep
              .read()
              .compose(known -> Future.all(claimed.stream()
                  .map(each -> tellOrHold(each, known.get(each.alert().ruleId())))
                  .toList()))
              .map(all -> all.<Outcome>list())
              .compose(outcomes -> store.finishAlertDeliveries(
                  new FinishAlertDeliveries(context.environment(), token, outcomes)))
              .onSuccess(finished -> more.compareAndSet(false, claimed.size() == AT_ONCE));
        });
  }

  @Override
  public Future<Void> settled() {
    return receivers.settled();
  }

  /** The rules by which one sweep tells, read once, when something is to be told. */
  private final class RulesOfSweep {
    private @Nullable Future<Map<String, StoredRule>> read;

    /** Those that were read last where they cannot be read now: that keeps nobody from being told. */
    Future<Map<String, StoredRule>> read() {
      Future<Map<String, StoredRule>> begun = read;
      if (begun == null) {
        begun = rules
            .list()
            .map(known -> {
              lastRead = known.stream().collect(toMap(each -> each.rule().id(), each -> each));
              readings.succeeded();
              return lastRead;
            })
            .recover(failure -> {
              readings.failed(failure, "those that were read last hold");
              return Future.succeededFuture(lastRead);
            });
        read = begun;
      }
      return begun;
    }
  }

  /** Holds what a silenced rule has to tell until the silence ends, but not longer than {@link #HELD_AT_ONCE}. */
  private Future<Outcome> tellOrHold(AlertDelivery delivery, @Nullable StoredRule stored) {
    Instant now = context.clock().now();
    if (stored == null || !stored.rule().isSilentAt(now)) {
      return tell(delivery, stored);
    }
    Instant end = Objects.requireNonNull(stored.rule().silencedUntil());
    Instant asked = now.plus(HELD_AT_ONCE);
    return Future.succeededFuture(outcome(delivery, end.isBefore(asked) ? end : asked));
  }

  private Future<Outcome> tell(AlertDelivery delivery, @Nullable StoredRule stored) {
    AlertChannel channel = Objects.requireNonNull(channels.get(delivery.channel()));
    AlertNotice notice = new AlertNotice(
        context.environment(),
        delivery.alert(),
        delivery.change(),
        context.clock().now());
    Executor home = context.host().callerExecutor(); // a channel may answer on any thread
    Promise<Void> answer = Promise.promise();
    context
        .timers()
        .within(
            options.getRequestTimeout(),
            Future.<Void>succeededFuture()
                .compose(start ->
                    AdapterCall.answered("AlertChannel.tell", tell.apply(channel, notice))),
            () -> RunlaneException.of(
                ErrorCode.OPERATION_CANCELLED,
                "channel %s did not answer within %s",
                channel.name(),
                options.getRequestTimeout()))
        .onComplete(told -> home.execute(() -> answer.handle(told)));
    return answer
        .future()
        .transform((told, failure) -> Future.succeededFuture(
            failure == null ? told(delivery) : failed(delivery, stored, failure)));
  }

  private Outcome told(AlertDelivery delivery) {
    log(delivery).succeeded();
    return outcome(delivery, null);
  }

  private Outcome failed(AlertDelivery delivery, @Nullable StoredRule stored, Throwable failure) {
    Instant now = context.clock().now();
    Duration pause = BACKOFF.delay(delivery.tries(), context.randomness());
    Alert alert = delivery.alert();
    Instant since = delivery.change() == AlertChange.RESOLVED && alert.resolvedAt() != null
        ? alert.resolvedAt()
        : alert.openedAt();
    Instant spoke = stored == null ? since : silentBefore(stored, now);
    if (spoke.isAfter(since)) {
      // It may have been held, which counts as tries: no pause is longer than it was tried for.
      since = spoke;
      pause = shorter(pause, longer(Duration.between(since, now), SHORTEST_PAUSE));
    }
    Instant next = now.plus(pause);
    if (delivery.tries() >= Receivers.FEWEST_TRIES
        && next.isAfter(since.plus(options.getGiveUpAfter()))) {
      LOG.error(
          "channel {} is not told of alert {} any more, after {} tries: {}",
          delivery.channel(),
          alert.id(),
          delivery.tries(),
          failure.getMessage());
      return outcome(delivery, null);
    }
    log(delivery).failed(failure, "it is told again");
    return outcome(delivery, next);
  }

  /** Since when the rule is not silenced for certain: a silence has ended then, or somebody changed the rule. */
  private static Instant silentBefore(StoredRule stored, Instant now) {
    Instant end = stored.rule().silencedUntil();
    Instant changed = stored.changedAt();
    Instant latest = end == null || end.isBefore(changed) ? changed : end;
    return latest.isAfter(now) ? now : latest;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  private static Outcome outcome(AlertDelivery delivery, @Nullable Instant retryAt) {
    return new Outcome(delivery.alert().id(), delivery.channel(), delivery.change(), retryAt);
  }

  private FailureLog log(AlertDelivery delivery) {
    return failures.computeIfAbsent(
        delivery.channel(),
        name -> new FailureLog(LOG, "telling channel " + name, context.timers()));
  }
}
