package dev.runlane.connector.schedule;

import dev.runlane.connector.store.ActiveRun;
import dev.runlane.connector.store.ConnectorSchedule;
import dev.runlane.connector.store.Grant;
import dev.runlane.connector.store.GrantAccessMode;
import dev.runlane.connector.store.GrantState;
import dev.runlane.connector.store.RunHistoryEntry;
import dev.runlane.connector.store.RunSource;
import dev.runlane.connector.store.SinkFailure;
import dev.runlane.timing.Ids;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides about a schedule from its facts alone: the same facts give the same answer in every process.
 *
 * @param mostRetries attempts after the first that failed
 * @param firstPause before the second attempt; doubled before each further one
 * @param longestPause that a pause is never longer than
 * @param tick a schedule that cannot start what is due is looked at again after this at the latest
 */
record SchedulePlan(int mostRetries, Duration firstPause, Duration longestPause, Duration tick) {
  private static final Set<String> GRANT_CODES = Set.of(
      SinkFailure.GRANT_CONSUMED,
      SinkFailure.GRANT_EXPIRED,
      SinkFailure.GRANT_INVALID,
      SinkFailure.GRANT_REVOKED);

  /** The gates in their order; the first that holds a run back says why. */
  private static final List<Function<ScheduleFacts, Optional<Held>>> GATES = List.of(
      SchedulePlan::attention,
      SchedulePlan::policy,
      SchedulePlan::person,
      SchedulePlan::grant,
      SchedulePlan::streak);

  ScheduleDecision decide(ScheduleFacts facts) {
    ConnectorSchedule schedule = facts.schedule();
    if (schedule.stopReason() != null) {
      return new ScheduleDecision.Wait(facts.now().plus(schedule.interval()));
    }
    int attempt = nextAttempt(facts);
    Instant due = attempt > 1 ? retryAt(facts, attempt) : wantedAt(facts, schedule.interval());
    if (due.isAfter(facts.now())) {
      return new ScheduleDecision.Wait(due);
    }
    ActiveRun active = facts.active();
    if (active != null) {
      return skip(
          facts, new Held(SkipReason.RUN_ALREADY_ACTIVE, active.run().runId(), null, false), due);
    }
    for (Function<ScheduleFacts, Optional<Held>> gate : GATES) {
      Optional<Held> held = gate.apply(facts);
      if (held.isPresent()) {
        return skip(facts, held.get(), due);
      }
    }
    Instant delayed = attempt > 1 ? due : dueAt(facts);
    return delayed.isAfter(facts.now())
        ? new ScheduleDecision.Skip(
            SkipReason.BACK_OFF,
            backOff(facts.streak()),
            "back_off " + facts.streak().length(),
            delayed,
            false)
        : new ScheduleDecision.Launch(attempt);
  }

  /** When the next run is due, as far as nothing but time keeps it: what a projection shows. */
  Instant nextDueAt(ScheduleFacts facts) {
    int attempt = nextAttempt(facts);
    return attempt > 1 ? retryAt(facts, attempt) : dueAt(facts);
  }

  /** 1 unless the last run was the schedule's, failed passingly and may be tried again. */
  private int nextAttempt(ScheduleFacts facts) {
    return facts
        .last()
        .filter(run -> run.trigger().source() == RunSource.SCHEDULED)
        .filter(run -> run.trigger().attempt() <= mostRetries)
        .filter(run -> RetryRules.of(run) == RetryVerdict.RETRY)
        .map(run -> run.trigger().attempt() + 1)
        .orElse(1);
  }

  private Instant retryAt(ScheduleFacts facts, int attempt) {
    Duration pause = firstPause;
    for (int i = 2; i < attempt && pause.compareTo(longestPause) < 0; i++) {
      pause = pause.multipliedBy(2);
    }
    return lastEnd(facts).plus(pause.compareTo(longestPause) > 0 ? longestPause : pause);
  }

  /** The interval after the last run; at once where there was none. */
  private static Instant wantedAt(ScheduleFacts facts, Duration interval) {
    return facts.last().isEmpty()
        ? facts.schedule().createdAt()
        : lastEnd(facts).plus(interval).plus(jitter(facts));
  }

  private static Instant dueAt(ScheduleFacts facts) {
    return wantedAt(facts, facts.streak().interval(facts.schedule().interval()));
  }

  private static Instant lastEnd(ScheduleFacts facts) {
    return facts
        .last()
        .map(RunHistoryEntry::completedAt)
        .orElse(facts.schedule().createdAt());
  }

  /** Drawn from what all processes know, so that they agree on it. */
  private static Duration jitter(ScheduleFacts facts) {
    long most = facts.schedule().jitter().toSeconds();
    if (most == 0) {
      return Duration.ZERO;
    }
    String lastRun = facts.last().map(run -> run.run().runId()).orElse("");
    String hash = Ids.occurrenceId(facts.schedule().connector().instanceId(), lastRun);
    return Duration.ofSeconds(Long.parseUnsignedLong(hash.substring(0, 15), 16) % (most + 1));
  }

  private ScheduleDecision skip(ScheduleFacts facts, Held held, Instant due) {
    String condition = held.reason().name() + ' ' + held.detail() + ' ' + held.occasion();
    Duration again = held.everyTime()
        ? facts.schedule().interval()
        : facts.schedule().interval().compareTo(tick) < 0 ? facts.schedule().interval() : tick;
    String told = held.everyTime() ? condition + ' ' + facts.now() : condition;
    return new ScheduleDecision.Skip(
        held.reason(),
        held.detail(),
        told,
        facts.now().plus(again).truncatedTo(ChronoUnit.MICROS),
        held.reason() == SkipReason.GRANT_UNUSABLE);
  }

  private static Optional<Held> attention(ScheduleFacts facts) {
    ConnectorSchedule.Attention attention = facts.schedule().attention();
    return attention == null
        ? Optional.empty()
        : Optional.of(new Held(
            SkipReason.ATTENTION_UNRESOLVED, attention.reason(), attention.runId(), false));
  }

  private static Optional<Held> policy(ScheduleFacts facts) {
    return facts.policy() == null || facts.policy().allowsAutomaticRuns()
        ? Optional.empty()
        : Optional.of(new Held(
            SkipReason.AUTOMATION_POLICY_BLOCKED,
            facts.policy().recommendedMode().value(),
            null,
            false));
  }

  private static Optional<Held> person(ScheduleFacts facts) {
    return lastSinceOwner(facts)
        .filter(run -> run.trigger().source() == RunSource.SCHEDULED)
        .filter(run -> RetryRules.of(run) == RetryVerdict.NEEDS_PERSON)
        .map(run -> new Held(
            SkipReason.NEEDS_HUMAN_ATTENTION, run.failureReason(), run.run().runId(), false));
  }

  private static Optional<Held> grant(ScheduleFacts facts) {
    String grantId = facts.schedule().grantId();
    if (grantId == null) {
      return Optional.empty();
    }
    Grant grant = facts.grant();
    if (grant != null
        && grant.accessMode() == GrantAccessMode.SINGLE_USE
        && grant.state() == GrantState.CONSUMED) {
      return Optional.of(new Held(SkipReason.GRANT_CONSUMED, null, grantId, true));
    }
    Optional<String> code = grant == null
        ? Optional.of(SinkFailure.GRANT_INVALID)
        : grant.refusal(facts.schedule().connector().instanceId(), facts.now());
    return code.or(() -> failedFor(facts))
        .map(each -> new Held(SkipReason.GRANT_UNUSABLE, each, grantId, false));
  }

  /** A sink that keeps grants of its own said so, and the owner has not touched the schedule since. */
  private static Optional<String> failedFor(ScheduleFacts facts) {
    return lastSinceOwner(facts).map(RunHistoryEntry::failureReason).filter(GRANT_CODES::contains);
  }

  private static Optional<Held> streak(ScheduleFacts facts) {
    FailureStreak streak = facts.streak();
    return streak.isGivenUp() && lastSinceOwner(facts).isPresent()
        ? Optional.of(
            new Held(SkipReason.BACK_OFF, "given up after " + backOff(streak), null, false))
        : Optional.empty();
  }

  /** The last run, unless the owner has changed or resumed the schedule since: then it gets another try. */
  private static Optional<RunHistoryEntry> lastSinceOwner(ScheduleFacts facts) {
    return facts.last().filter(run -> !run.completedAt()
        .isBefore(facts.schedule().updatedAt()));
  }

  private static String backOff(FailureStreak streak) {
    return streak.length() + " failures in a row: " + streak.reason();
  }

  /**
   * A gate that is closed.
   *
   * @param occasion tells this time from another, or null
   * @param everyTime whether it is told whenever a run is due, not once
   */
  private record Held(
      SkipReason reason, @Nullable String detail, @Nullable String occasion, boolean everyTime) {}
}
