package dev.runlane.connector.schedule;

import dev.runlane.connector.schedule.ScheduleGates.Held;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.key.RunSource;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import dev.runlane.timing.Ids;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides about a schedule from its facts alone: the same facts give the same answer in every process.
 *
 * @param maxRetries attempts after the first that failed
 * @param firstPause before the second attempt; doubled before each further one
 * @param longestPause that a pause is never longer than
 * @param tick a schedule that cannot start what is due is looked at again after this at the latest
 */
record SchedulePlan(int maxRetries, Duration firstPause, Duration longestPause, Duration tick) {
  ScheduleDecision decide(ScheduleFacts facts) {
    ConnectorSchedule schedule = facts.schedule();
    if (schedule.stopReason() != null) {
      return new ScheduleDecision.Wait(facts.now().plus(schedule.interval()));
    }
    int attempt = nextAttempt(facts);
    Optional<Held> refused = ScheduleGates.refused(facts);
    if (refused.isPresent()) {
      return skip(facts, refused.get(), attempt);
    }
    Instant due = isBegun(facts) ? retryAt(facts, attempt) : wantedAt(facts, schedule.interval());
    if (due.isAfter(facts.now())) {
      return new ScheduleDecision.Wait(due);
    }
    ActiveRun active = facts.active();
    if (active != null && active.trigger().source() == RunSource.SCHEDULED) {
      return new ScheduleDecision.Wait(facts.now().plus(recheckDelay(facts))); // its own, only slow
    }
    Optional<Held> held = active == null
        ? held(facts)
        : Optional.of(new Held(SkipReason.RUN_ALREADY_ACTIVE, active.run().runId(), null, false));
    return held.isPresent() ? skip(facts, held.get(), attempt) : unlessDelayed(facts, attempt);
  }

  /** What keeps the schedule from starting anything, however much time passes. */
  Optional<Held> held(ScheduleFacts facts) {
    return ScheduleGates.closed(facts)
        .or(() -> isBegun(facts) ? Optional.empty() : ScheduleGates.givenUp(facts));
  }

  /** When the next run is due, as far as nothing but time keeps it: what a projection shows. */
  Instant nextDueAt(ScheduleFacts facts) {
    return isBegun(facts) ? retryAt(facts, nextAttempt(facts)) : dueAt(facts);
  }

  /** Runs that a decision must know: enough for the longest streak that matters, with every attempt of it. */
  int mostRuns() {
    return FailureStreak.GIVEN_UP * (maxRetries + 1) + 1;
  }

  /**
   * Whether another attempt follows this run, unless somebody comes between. One that its process stopped is made again
   * under its number, however often.
   */
  boolean isTriedAgain(RunHistoryEntry run) {
    return run.trigger().source() == RunSource.SCHEDULED
        && (RetryRules.isStopped(run)
            || (run.trigger().attempt() <= maxRetries && RetryRules.of(run) == RetryVerdict.RETRY));
  }

  /** Something that came up while a run was to be launched. */
  ScheduleDecision.Skip skip(
      ScheduleFacts facts, SkipReason reason, @Nullable String detail, int attempt) {
    return skip(facts, new Held(reason, detail, null, false), attempt);
  }

  private ScheduleDecision unlessDelayed(ScheduleFacts facts, int attempt) {
    Instant delayed = isBegun(facts) ? facts.now() : dueAt(facts);
    return delayed.isAfter(facts.now())
        ? new ScheduleDecision.Skip(
            SkipReason.BACK_OFF,
            facts.streak().describe(),
            "back_off " + facts.streak().length(),
            delayed,
            false,
            attempt)
        : new ScheduleDecision.Launch(attempt);
  }

  private int nextAttempt(ScheduleFacts facts) {
    return facts
        .lastWhole()
        .filter(this::isTriedAgain)
        .map(run -> run.trigger().attempt() + (RetryRules.isStopped(run) ? 0 : 1))
        .orElse(1);
  }

  /** Whether the next attempt is one more of an occurrence. */
  private boolean isBegun(ScheduleFacts facts) {
    return facts.lastWhole().filter(this::isTriedAgain).isPresent();
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
    return facts.lastWhole().isEmpty()
        ? facts.schedule().createdAt()
        : lastEnd(facts).plus(interval).plus(jitter(facts));
  }

  private static Instant dueAt(ScheduleFacts facts) {
    return wantedAt(facts, facts.streak().interval(facts.schedule().interval()));
  }

  private static Instant lastEnd(ScheduleFacts facts) {
    return facts
        .lastWhole()
        .map(RunHistoryEntry::completedAt)
        .orElse(facts.schedule().createdAt());
  }

  /** Drawn from what all processes know, so that they agree on it. */
  private static Duration jitter(ScheduleFacts facts) {
    long most = facts.schedule().jitter().toSeconds();
    if (most == 0) {
      return Duration.ZERO;
    }
    String lastRun = facts.lastWhole().map(run -> run.run().runId()).orElse("");
    String hash = Ids.occurrenceId(facts.schedule().connector().instanceId(), lastRun);
    return Duration.ofSeconds(Long.parseUnsignedLong(hash.substring(0, 15), 16) % (most + 1));
  }

  private ScheduleDecision.Skip skip(ScheduleFacts facts, Held held, int attempt) {
    String condition = held.reason().name() + ' ' + held.detail() + ' ' + held.occasion();
    Duration again = held.everyTime() ? facts.schedule().interval() : recheckDelay(facts);
    return new ScheduleDecision.Skip(
        held.reason(),
        held.detail(),
        held.everyTime() ? condition + ' ' + facts.now() : condition,
        facts.now().plus(again).truncatedTo(ChronoUnit.MICROS),
        held.reason() == SkipReason.GRANT_UNUSABLE,
        attempt);
  }

  private Duration recheckDelay(ScheduleFacts facts) {
    Duration interval = facts.schedule().interval();
    return interval.compareTo(tick) < 0 ? interval : tick;
  }
}
