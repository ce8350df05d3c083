package dev.runlane.runtime.alert;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.operate.Operator;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.read.Page;
import dev.runlane.timing.Durations;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rules of an environment and the alerts they opened. Rules are looked at by processes that have an {@link
 * AlertVerticle}. What changes a rule is recorded in the log of actions. Every method fails with {@code
 * CapabilityUnsupported} where the storage keeps nothing for operators.
 */
public final class Alerts {
  /** The rule of the alerts that {@link #sendTest} opens, whose texts say who asked for them. */
  public static final String TEST_RULE = AlertRule.RESERVED + "test";

  private static final Duration LONGEST_SILENCE = Duration.ofDays(365);

  private final RuntimeContext context;
  private final Operator operator;

  /** Those of one runtime, which makes it. */
  public Alerts(RuntimeContext context, Operator operator) {
    this.context = context;
    this.operator = operator;
  }

  /** All rules, by their ids: at most 200. */
  public Future<List<StoredRule>> rules() {
    return asking(AlertRules::list);
  }

  /**
   * Makes a rule or changes it; answers its version.
   *
   * @param expectedVersion the version that is changed; 0: there must be none; null: whatever there is. Empty where
   *     another one is there.
   */
  public Future<Optional<Long>> putRule(
      AlertRule rule, @Nullable Long expectedVersion, RunActionOptions options) {
    RunActionOptions given = new RunActionOptions(options);
    return operator.recorded(
        "alert_rule.put",
        rule.id(),
        given,
        () -> asking(
            rules -> rules.put(rule, expectedVersion, given.getActor(), context.eventTime())),
        version -> version.map(each -> "version " + each).orElse("was changed meanwhile"));
  }

  /** Removes a rule, whose open alerts are resolved with the next look; true when it was there. */
  public Future<Boolean> removeRule(String ruleId, RunActionOptions options) {
    return operator.recorded(
        "alert_rule.remove",
        ruleId,
        options,
        () -> asking(rules -> rules.remove(ruleId)),
        done -> done ? "removed" : "was not there");
  }

  /**
   * Has nobody told of what a rule finds until then; null: from now on they are told again, of what is still open too.
   * What was to be told when the silence began is held, as is the end of what was told before: it is told when the
   * silence ends, and within 5 minutes where somebody ends it sooner. Empty where there is no such rule, or somebody
   * else changed it at the same time.
   */
  public Future<Optional<Long>> silence(
      String ruleId, @Nullable Instant until, RunActionOptions options) {
    RunActionOptions given = new RunActionOptions(options);
    return operator.recorded(
        until == null ? "alert_rule.unsilence" : "alert_rule.silence",
        ruleId,
        given,
        () -> asking(rules -> rules.list().compose(known -> known.stream()
            .filter(each -> each.rule().id().equals(ruleId))
            .findFirst()
            .map(each -> rules.put(
                each.rule().silencedUntil(until),
                each.version(),
                given.getActor(),
                context.eventTime()))
            .orElse(Future.succeededFuture(Optional.empty())))),
        version -> version.isEmpty()
            ? "was not there, or was changed meanwhile"
            : until == null ? "told again" : "silent until " + until);
  }

  /**
   * The same for a time from now on, by this process's clock, or the storage's while that is known to be ahead. Fails
   * with {@code ValidationFailed} for one that is not positive or longer than 365 days.
   */
  public Future<Optional<Long>> silenceFor(
      String ruleId, Duration length, RunActionOptions options) {
    return Future.<Void>succeededFuture().compose(start -> {
      if (length.isNegative() || length.isZero() || length.compareTo(LONGEST_SILENCE) > 0) {
        throw RunlaneException.validationFailed(
            "a rule is silenced for more than 0 and at most %s, but it was %s",
            Durations.format(LONGEST_SILENCE), length);
      }
      return silence(ruleId, context.eventTime().plus(length), options);
    });
  }

  /**
   * Has a channel told of an alert that is a test, by whichever process has it, as it is told of any other: it opens
   * now, of a rule that nobody else can have, and is resolved by the next look. Answers the id of the alert, of which
   * {@link Alert#untold} says whether the channel was told; where no process has such a channel it never is. A test
   * before that is resolved.
   */
  public Future<String> sendTest(String channel, RunActionOptions options) {
    RunActionOptions given = new RunActionOptions(options);
    return operator.recorded("alert_channel.test", channel, given, () -> {
      Identifiers.requireId("channel", channel);
      String id = context.ids().token();
      String text = "This is a test of channel %s, by %s.".formatted(channel, actorName(given));
      return store(store -> store.observeAlerts(new ObserveAlerts(
              context.environment(),
              TEST_RULE,
              List.of(new AlertFinding(id, channel + " " + id, text)),
              List.of(channel),
              context.eventTime())))
          .map(id);
    });
  }

  private static String actorName(RunActionOptions options) {
    String id = options.getActor().id();
    return id == null ? options.getActor().type().value() : id;
  }

  /** When the rules were looked at last, and who could be told then; empty: never. */
  public Future<Optional<LastPass>> lastPass() {
    return asking(AlertRules::lastPass);
  }

  /**
   * A page of alerts, those that were opened last first.
   *
   * @param ruleId of this rule; null: of any
   * @param isOpen open ones or resolved ones; null: both
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<Alert>> list(
      @Nullable String ruleId,
      @Nullable Boolean isOpen,
      @Nullable Integer limit,
      @Nullable String cursor) {
    return store(store ->
        store.listAlerts(new ListAlerts(context.environment(), ruleId, isOpen, limit, cursor)));
  }

  private <T> Future<T> asking(Function<AlertRules, Future<T>> question) {
    return store(store -> question.apply(new AlertRules(store, context.environment())));
  }

  private <T> Future<T> store(Function<OperatorStore, Future<T>> question) {
    return context
        .storage()
        .operator()
        .map(store -> Future.<Void>succeededFuture().compose(start -> question.apply(store)))
        .orElseGet(() -> Future.failedFuture(RunlaneException.of(
            ErrorCode.CAPABILITY_UNSUPPORTED, "the storage keeps nothing for operators")));
  }
}
