package dev.runlane.connector.schedule;

import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.key.RunSource;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What may hold back a run that is due, time and an active run apart. */
final class ScheduleGates {
  private static final Set<String> GRANT_CODES = Set.of(
      SinkFailure.GRANT_CONSUMED,
      SinkFailure.GRANT_EXPIRED,
      SinkFailure.GRANT_INVALID,
      SinkFailure.GRANT_REVOKED);

  /** In their order; the first that holds a run back says why. */
  private static final List<Function<ScheduleFacts, Optional<Held>>> GATES = List.of(
      ScheduleGates::attention, ScheduleGates::policy, ScheduleGates::person, ScheduleGates::grant);

  private ScheduleGates() {}

  /** The first gate that is closed to any run of the schedule, a further attempt included. */
  static Optional<Held> closed(ScheduleFacts facts) {
    return GATES.stream().flatMap(gate -> gate.apply(facts).stream()).findFirst();
  }

  /** Too many failures came one after another; an occurrence that was begun is still tried to its end. */
  static Optional<Held> givenUp(ScheduleFacts facts) {
    FailureStreak streak = facts.streak();
    return streak.isGivenUp() && lastSinceOwner(facts).isPresent()
        ? Optional.of(
            new Held(SkipReason.BACK_OFF, "given up after " + streak.describe(), null, false))
        : Optional.empty();
  }

  /** A sink that keeps grants of its own refused the last run, and the owner has not touched the schedule since. */
  static Optional<Held> refused(ScheduleFacts facts) {
    String grantId = facts.schedule().grantId();
    return grantId == null
        ? Optional.empty()
        : lastSinceOwner(facts)
            .map(RunHistoryEntry::failureReason)
            .filter(GRANT_CODES::contains)
            .map(code -> new Held(SkipReason.GRANT_UNUSABLE, code, grantId, false));
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
    return code.map(each -> new Held(SkipReason.GRANT_UNUSABLE, each, grantId, false))
        .or(() -> refused(facts));
  }

  /** The last run, unless the owner has changed or resumed the schedule since: then it gets another try. */
  private static Optional<RunHistoryEntry> lastSinceOwner(ScheduleFacts facts) {
    return facts.last().filter(run -> !run.completedAt()
        .isBefore(facts.schedule().updatedAt()));
  }

  /**
   * A gate that is closed.
   *
   * @param detail more of the reason, or null
   * @param occasion distinguishes this time from another, or null
   * @param everyTime whether it is reported whenever a run is due, not once
   */
  record Held(
      SkipReason reason, @Nullable String detail, @Nullable String occasion, boolean everyTime) {
    /** For people. */
    String describe() {
      return detail == null ? reason.value() : reason.value() + ": " + detail;
    }

    /** Whether only a person can open it. */
    boolean needsPerson() {
      return reason == SkipReason.ATTENTION_UNRESOLVED
          || reason == SkipReason.NEEDS_HUMAN_ATTENTION;
    }
  }
}
