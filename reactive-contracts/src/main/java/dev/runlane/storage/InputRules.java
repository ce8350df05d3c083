package dev.runlane.storage;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules that several commands share; each throws {@code ValidationFailed}. */
final class InputRules {
  /** Most ids, runs or messages in one command. */
  static final int MOST_IDS = 10_000;

  /** Instants are kept in microseconds: a shorter claim would be over when it begins. */
  static final Duration SHORTEST = Duration.ofNanos(1_000);

  /** Instants that every storage can hold and that ISO-8601 writes with four digits of year. */
  static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

  static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

  private InputRules() {}

  static void requireRun(Environment environment, String runId) {
    Identifiers.requireEnvironment(environment);
    Identifiers.requireId("runId", runId);
  }

  static void requireSequence(long expectedSequence) {
    if (expectedSequence < 0 || expectedSequence > ContractDefaults.MAX_EVENT_SEQUENCE) {
      throw RunlaneException.validationFailed(
          "expectedSequence must be between 0 and %d, but is %d",
          ContractDefaults.MAX_EVENT_SEQUENCE, expectedSequence);
    }
  }

  static void requireKey(Environment environment, String taskId, String key) {
    Identifiers.requireEnvironment(environment);
    Identifiers.requireId("taskId", taskId);
    Identifiers.requireKeyOrNull("idempotencyKey", key);
  }

  static void requireClaim(String outboxMessageId, String claimToken) {
    Identifiers.requireId("outboxMessageId", outboxMessageId);
    Identifiers.requireId("claimToken", claimToken);
  }

  static void requirePolicies(List<QueuePolicy> policies) {
    requireCount("queues", policies);
    policies.forEach(InputRules::requirePolicy);
  }

  static void requirePolicy(@Nullable QueuePolicy policy) {
    if (policy == null) {
      return;
    }
    Identifiers.requireId("queue", policy.queue());
    if (policy.concurrencyLimit() != null && policy.concurrencyLimit() < 1) {
      throw RunlaneException.validationFailed(
          "the concurrency limit of queue %s must be at least 1, but is %d",
          policy.queue(), policy.concurrencyLimit());
    }
  }

  static void requireBounded(QueuePolicy policy) {
    if (!policy.isBounded()) {
      throw RunlaneException.validationFailed("queue %s has no concurrency limit", policy.queue());
    }
  }

  static void requireUnbounded(QueuePolicy policy) {
    if (policy.isBounded()) {
      throw RunlaneException.validationFailed(
          "runs are claimed by name in queues without a limit, and queue %s has one",
          policy.queue());
    }
  }

  static void requireLimitOrNull(@Nullable Integer limit) {
    if (limit != null && limit < 1) {
      throw RunlaneException.validationFailed("limit must be at least 1, but is %d", limit);
    }
  }

  static void requireDuration(String what, Duration duration) {
    if (duration.compareTo(SHORTEST) < 0
        || duration.compareTo(ContractDefaults.LONGEST_DURATION) > 0) {
      throw RunlaneException.validationFailed(
          "%s must be between %s and %s, but is %s",
          what, SHORTEST, ContractDefaults.LONGEST_DURATION, duration);
    }
  }

  /** Checks a duration that is counted from {@code now}: its end can be stored too. */
  static void requireClaimFor(String what, Instant now, Duration duration) {
    requireInstant("now", now);
    requireDuration(what, duration);
    requireInstant("the end of " + what, now.plus(duration));
  }

  static void requireInstant(String what, @Nullable Instant instant) {
    if (instant != null && (instant.isBefore(EARLIEST) || instant.isAfter(LATEST))) {
      throw RunlaneException.validationFailed(
          "%s must be between %s and %s, but is %s", what, EARLIEST, LATEST, instant);
    }
  }

  static void requireIds(String what, Collection<String> ids) {
    requireCount(what, ids);
    ids.forEach(id -> Identifiers.requireId(what, id));
  }

  static void requireCount(String what, Collection<?> values) {
    if (values.size() > MOST_IDS) {
      throw RunlaneException.validationFailed(
          "%s must hold at most %d entries, but holds %d", what, MOST_IDS, values.size());
    }
  }
}
