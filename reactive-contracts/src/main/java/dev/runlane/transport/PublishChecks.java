package dev.runlane.transport;

import dev.runlane.json.StorableText;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunlaneException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What every transport checks before it publishes anything. */
public final class PublishChecks {
  private PublishChecks() {}

  /** Throws {@code ValidationFailed} when an attempt is malformed or occurs twice. */
  public static void check(PublishWakeups command) {
    Set<String> seen = new HashSet<>();
    for (PublishWakeups.Attempt attempt : command.attempts()) {
      Identifiers.requireId("outboxMessageId", attempt.outboxMessageId());
      Identifiers.requireId("claimToken", attempt.claimToken());
      Identifiers.requireEnvironment(attempt.message().environment());
      Identifiers.requireId("runId", attempt.message().runId());
      Identifiers.requireId("queue", attempt.message().queue());
      Identifiers.requireKeyOrNull("groupKey", attempt.groupKey());
      StorableText.require("traceCarrier", attempt.message().traceCarrier());
      if (!seen.add(attempt.outboxMessageId())) {
        throw RunlaneException.validationFailed(
            "outbox message %s occurs twice in one publish command", attempt.outboxMessageId());
      }
    }
  }

  /** Throws {@code ValidationFailed} when an attempt names a queue that is not among {@code bound}. */
  public static void checkBound(PublishWakeups command, Set<String> bound) {
    for (PublishWakeups.Attempt attempt : command.attempts()) {
      if (!bound.contains(attempt.message().queue())) {
        throw RunlaneException.validationFailed(
            "queue %s has no binding; bound are %s", attempt.message().queue(), List.copyOf(bound));
      }
    }
  }
}
