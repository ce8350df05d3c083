package dev.runlane.steps;

import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.WithdrawSteps;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * What every step transport checks first; each method throws {@code ValidationFailed}. Ids, names and groups
 * are not empty, have at most 191 characters and hold neither NUL nor half a surrogate pair; no list holds
 * more than 10 000 entries or an id twice.
 */
public final class StepChecks {
  /** Most characters of a step id, run id, name or group: what the tables' columns hold. */
  public static final int MOST_CHARACTERS = 191;

  /** Most characters of the id of a worker or engine, which leaves room for the claim's own part. */
  public static final int MOST_OWNER_CHARACTERS = 128;

  private static final int MOST_ENTRIES = 10_000;
  private static final Duration SHORTEST_LEASE = Duration.ofMillis(1);
  private static final Instant EARLIEST = Instant.EPOCH;
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

  private StepChecks() {}

  /**
   * Whether a command may name a step so. A row that another program has written may have an id that none may, and a
   * command that names it among others is refused for all of them.
   */
  public static boolean isStepId(String stepId) {
    return isLengthWithin(stepId, MOST_CHARACTERS) && StorableText.isStorable(stepId);
  }

  /** Checks every step and that none occurs twice. */
  public static void check(DispatchSteps command) {
    requireInstant("now", command.now());
    requireDistinct("steps", command.steps(), StepTask::stepId);
    command.steps().forEach(StepChecks::requireTask);
  }

  /** Checks ids. */
  public static void check(WithdrawSteps command) {
    requireIds(command.stepIds());
  }

  /** Checks ids. */
  public static void check(ListMissingSteps query) {
    requireIds(query.stepIds());
  }

  /** Checks ids. */
  public static void check(ListStepTasks query) {
    requireIds(query.stepIds());
  }

  /** Checks limit, lease and position. */
  public static void check(ListStepResults query) {
    requireInstant("now", query.now());
    requireLease(query.leaseFor());
    requireLimit(query.limit());
  }

  /** Checks ids, owner and lease. */
  public static void check(ClaimStepResults command) {
    requireInstant("now", command.now());
    requireLease(command.leaseFor());
    requireOwner("engineId", command.engineId());
    requireIds(command.stepIds());
  }

  /** Checks claims, and that each next attempt is one of the same step. */
  public static void check(SettleStepResults command) {
    requireInstant("now", command.now());
    requireDistinct("settlements", command.settlements(), each -> each.claim().stepId());
    for (SettleStepResults.Settlement settlement : command.settlements()) {
      requireClaim(settlement.claim());
      StepTask next = settlement.next();
      if (next != null) {
        requireTask(next);
        if (!next.stepId().equals(settlement.claim().stepId())) {
          throw RunlaneException.validationFailed(
              "the next attempt of step %s is one of step %s",
              settlement.claim().stepId(), next.stepId());
        }
      }
    }
  }

  /** Checks claims and pause. */
  public static void check(ReleaseStepResults command) {
    requireInstant("now", command.now());
    requireLease(command.leaseFor());
    requireClaims(command.claims());
    if (command.retryIn().isNegative() || command.retryIn().compareTo(command.leaseFor()) > 0) {
      throw RunlaneException.validationFailed(
          "retryIn must be between 0 and the lease of %s, but is %s",
          command.leaseFor(), command.retryIn());
    }
  }

  /** Checks ids and instants. */
  public static void check(DiscardStepResults command) {
    requireInstant("now", command.now());
    requireInstant("createdBefore", command.createdBefore());
    requireLease(command.leaseFor());
    requireIds(command.stepIds());
  }

  /** Checks groups, owner, lease and limit. */
  public static void check(ClaimStepTasks command) {
    requireInstant("now", command.now());
    requireLease(command.leaseFor());
    requireLimit(command.limit());
    requireOwner("workerId", command.workerId());
    requireDistinct("groups", command.groups(), group -> group);
    command.groups().forEach(group -> requireText("group", group, MOST_CHARACTERS));
  }

  /** Checks claims. */
  public static void check(RenewStepTasks command) {
    requireInstant("now", command.now());
    requireClaims(command.claims());
  }

  /** Checks claims and instants. */
  public static void check(RecordStepResults command) {
    requireInstant("now", command.now());
    requireDistinct("results", command.results(), each -> each.claim().stepId());
    for (RecordStepResults.Ended ended : command.results()) {
      requireClaim(ended.claim());
      requireInstant("startedAt", ended.startedAt());
    }
  }

  /** Checks claims. */
  public static void check(ReleaseStepTasks command) {
    requireClaims(command.claims());
  }

  private static void requireTask(StepTask task) {
    requireText("stepId", task.stepId(), MOST_CHARACTERS);
    requireText("runId", task.runId(), MOST_CHARACTERS);
    requireText("name", task.name(), MOST_CHARACTERS);
    requireText("group", task.group(), MOST_CHARACTERS);
    if (task.seq() < 0 || task.attempt() < 1) {
      throw RunlaneException.validationFailed(
          "step %s must have a position from 0 and an attempt from 1, but has %d and %d",
          task.stepId(), task.seq(), task.attempt());
    }
  }

  private static void requireIds(List<String> stepIds) {
    requireDistinct("stepIds", stepIds, id -> id);
    stepIds.forEach(id -> requireText("stepId", id, MOST_CHARACTERS));
  }

  private static void requireClaims(List<StepClaim> claims) {
    requireDistinct("claims", claims, StepClaim::stepId);
    claims.forEach(StepChecks::requireClaim);
  }

  private static void requireClaim(StepClaim claim) {
    requireText("stepId", claim.stepId(), MOST_CHARACTERS);
    requireText("claim token", claim.token(), MOST_CHARACTERS);
  }

  private static void requireOwner(String what, String id) {
    requireText(what, id, MOST_OWNER_CHARACTERS);
  }

  private static void requireText(String what, String text, int mostCharacters) {
    if (!isLengthWithin(text, mostCharacters)) {
      throw RunlaneException.validationFailed(
          "%s must have 1 to %d characters, but has %d",
          what, mostCharacters, text.codePointCount(0, text.length()));
    }
    StorableText.require(what, text);
  }

  private static boolean isLengthWithin(String text, int mostCharacters) {
    return !text.isEmpty() && text.codePointCount(0, text.length()) <= mostCharacters;
  }

  private static void requireLimit(int limit) {
    if (limit < 1 || limit > MOST_ENTRIES) {
      throw RunlaneException.validationFailed(
          "limit must be between 1 and %d, but is %d", MOST_ENTRIES, limit);
    }
  }

  private static void requireLease(Duration leaseFor) {
    if (leaseFor.compareTo(SHORTEST_LEASE) < 0
        || leaseFor.compareTo(ContractDefaults.LONGEST_DURATION) > 0) {
      throw RunlaneException.validationFailed(
          "leaseFor must be between 1 ms and %s, but is %s",
          ContractDefaults.LONGEST_DURATION, leaseFor);
    }
  }

  private static void requireInstant(String what, Instant instant) {
    if (instant.isBefore(EARLIEST) || instant.isAfter(LATEST)) {
      throw RunlaneException.validationFailed(
          "%s must be between %s and %s, but is %s", what, EARLIEST, LATEST, instant);
    }
  }

  private static <T> void requireDistinct(
      String what, Collection<T> entries, Function<T, String> key) {
    if (entries.size() > MOST_ENTRIES) {
      throw RunlaneException.validationFailed(
          "%s must hold at most %d entries, but holds %d", what, MOST_ENTRIES, entries.size());
    }
    Set<String> seen = new HashSet<>();
    for (T entry : entries) {
      if (!seen.add(key.apply(entry))) {
        throw RunlaneException.validationFailed("%s names %s twice", what, key.apply(entry));
      }
    }
  }
}
