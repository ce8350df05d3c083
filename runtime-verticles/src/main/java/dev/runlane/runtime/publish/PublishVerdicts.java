package dev.runlane.runtime.publish;

import dev.runlane.json.JsonValues;
import dev.runlane.json.StorableText;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered.DeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed.Failed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished.Published;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Randomness;
import dev.runlane.transport.WakeupPublishOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is recorded of each message of one publish call. A message whose own failure cannot go away,
 * or that has failed too often, is given up. A failure of the whole call says nothing about a single
 * message: it counts as one failed publish of each, and only their number gives a message up.
 */
final class PublishVerdicts {
  private final OutboxPublisherOptions options;
  private final Randomness randomness;
  private final Instant now;
  private final RuntimeObserver observer;
  private final FailureLog givenUp;
  private final List<Published> published = new ArrayList<>();
  private final List<Failed> failed = new ArrayList<>();
  private final List<DeadLettered> deadLettered = new ArrayList<>();

  /** @param givenUp where all calls of a publisher log what is given up, which in an outage can be everything */
  PublishVerdicts(RuntimeContext context, OutboxPublisherOptions options, FailureLog givenUp) {
    this.options = options;
    this.givenUp = givenUp;
    randomness = context.randomness();
    now = context.eventTime();
    observer = context.observer();
  }

  /** Records the outcome of one attempt; null is an adapter's fault. */
  void outcome(ClaimedOutboxMessage message, @Nullable WakeupPublishOutcome outcome) {
    if (outcome instanceof WakeupPublishOutcome.Published done) {
      String name = done.providerMessageId();
      published.add(new Published(
          message.id(), message.claimToken(), name == null ? null : StorableText.repaired(name)));
      observer.wakeupPublished(message.message());
    } else if (outcome instanceof WakeupPublishOutcome.Failed refused) {
      failure(message, storable(refused.failure()), refused.failure().retryable());
    } else {
      callFailed(
          message,
          RunlaneException.adapterContractViolation(
              "transport.publishWakeups answered null for outbox message %s", message.id()));
    }
  }

  /** Records that the call as a whole failed. */
  void callFailed(ClaimedOutboxMessage message, RunlaneException failure) {
    failure(message, record(failure), true);
  }

  /**
   * Records that this process has no binding for the message's queue. Another process may have one, so it is never
   * given up for that, and counts for nothing when that process fails to publish it.
   */
  void notBound(ClaimedOutboxMessage message) {
    FailureRecord failure = record(RunlaneException.of(
            ErrorCode.TRANSPORT_PUBLISH_FAILED,
            "the transport of this process has no binding for queue %s",
            message.message().queue())
        .asRetryable());
    Duration pause = options.getBackoff().delay(looks(message), randomness);
    sentLater(message, failure, pause, false);
  }

  /**
   * How many looks of the back-off's pauses fit into the time since the wakeup was asked for, at least 1: nobody counts
   * them, and each is to wait about as long as all before it.
   */
  private int looks(ClaimedOutboxMessage message) {
    Duration waited = Duration.between(message.message().requestedAt(), now);
    if (message.failedPublishes() == 0 || waited.isNegative()) {
      return 1;
    }
    long firsts = waited.dividedBy(options.getBackoff().first());
    return 1 + Long.SIZE - Long.numberOfLeadingZeros(firsts);
  }

  List<Published> published() {
    return published;
  }

  List<Failed> failed() {
    return failed;
  }

  List<DeadLettered> deadLettered() {
    return deadLettered;
  }

  private void failure(ClaimedOutboxMessage message, FailureRecord failure, boolean mayGoAway) {
    int failures = message.failedPublishes() + 1;
    if (mayGoAway && failures < options.getMaxAttempts()) {
      sentLater(message, failure, options.getBackoff().delay(failures, randomness), true);
      return;
    }
    deadLettered.add(new DeadLettered(message.id(), message.claimToken(), failure));
    observer.wakeupFailed(message.message(), failure, true);
    givenUp.gaveUp(String.format(
        Locale.ROOT,
        "outbox message %s of run %s in queue %s after %d failed publishes: %s, %s",
        message.id(),
        message.message().runId(),
        message.message().queue(),
        failures,
        failure.code().value(),
        failure.message()));
  }

  private void sentLater(
      ClaimedOutboxMessage message, FailureRecord failure, Duration pause, boolean counted) {
    failed.add(new Failed(message.id(), message.claimToken(), failure, now.plus(pause), counted));
    observer.wakeupFailed(message.message(), failure, false);
  }

  /** One text of a transport that cannot be stored would keep its whole batch from being marked. */
  private static FailureRecord storable(FailureRecord failure) {
    return new FailureRecord(
        failure.code(),
        StorableText.repaired(failure.message()),
        failure.retryable(),
        failure.meta());
  }

  private static FailureRecord record(RunlaneException failure) {
    return new FailureRecord(
        failure.code(),
        StorableText.repaired(String.valueOf(failure.getMessage())),
        failure.isRetryable(),
        failure.meta().isEmpty() ? null : JsonValues.object(failure.meta()));
  }
}
