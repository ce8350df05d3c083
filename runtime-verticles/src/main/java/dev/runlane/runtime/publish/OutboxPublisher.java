package dev.runlane.runtime.publish;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.Failures;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.process.SweepTimes;
import dev.runlane.runtime.sweep.QuietPause;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.timing.FailureLog;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns outbox messages into wakeups: claim, publish, record what became of each. A message is published at
 * least once. Between publishing and recording nothing is held but the claim, so a publisher that dies there
 * costs a second wakeup, never a lost one.
 */
public final class OutboxPublisher implements SweepRole {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxPublisher.class);

  private final RuntimeContext context;
  private final OutboxPublisherOptions options;
  private final @Nullable Set<String>
      bound; // the queues the transport can publish to; null: unknown
  private final OutboxMarks marks;
  private final FailureLog transportFailures;
  private final FailureLog givenUp;
  private final SweepTimes due;
  private final QuietPause pause;

  /**
   * Throws {@code CapabilityUnsupported} when the storage persists no outbox, {@code ConfigurationInvalid}
   * unless a publish is given up before its claim ends.
   */
  public OutboxPublisher(RuntimeContext context, OutboxPublisherOptions options) {
    this.context = context;
    this.options = options.requireConsistent();
    Capabilities.require(
        context.storage().capabilities(), StorageCapability.PERSISTS_OUTBOX, "an outbox publisher");
    bound = context
        .transport()
        .queues()
        .map(queues -> queues.stream().map(QueuePolicy::queue).collect(Collectors.toSet()))
        .orElse(null);
    marks = new OutboxMarks(context);
    transportFailures = new FailureLog(LOG, "the transport", context.timers());
    givenUp = new FailureLog(LOG, "wakeups that are given up", context.timers());
    due = new SweepTimes(options.getDueResolution());
    pause = new QuietPause(
        context.notifications(), options.getIdleDelay(), options.getLongestIdleDelay());
  }

  /** Publishes one batch; true when it was full and the transport took it. */
  @Override
  public Future<Boolean> sweepOnce() {
    return sweep().map(count -> {
      pause.swept(count.equals(PublishCount.NOTHING));
      return count.moreWaiting();
    });
  }

  @Override
  public Optional<Instant> nextDue() {
    return due.earliest();
  }

  @Override
  public Duration pause(Duration usual) {
    return pause.current();
  }

  @Override
  public List<LocalNotifications.Registration> listen(
      Executor executor, Consumer<Duration> wakeIn) {
    return List.of(
        pause.endOnNewWork(executor, wakeIn),
        context.notifications().onOutboxChanged(executor, availableAt -> {
          pause.news();
          Duration until = Duration.between(context.clock().now(), availableAt);
          if (until.compareTo(options.getGatherDelay()) <= 0) {
            wakeIn.accept(options.getGatherDelay());
          } else {
            due.add(availableAt);
            due.earliest()
                .ifPresent(at -> wakeIn.accept(Duration.between(context.clock().now(), at)));
          }
        }));
  }

  /**
   * Claims and publishes one batch. Completes also when the transport failed, which is recorded with the
   * messages; fails when the storage did, and after recording it, when the call failed with anything else
   * than {@code TransportUnavailable} or {@code TransportPublishFailed}.
   */
  public Future<PublishCount> sweep() {
    Instant now = context.clock().now();
    due.removeDue(now);
    return context
        .storage()
        .claimOutboxMessages(new ClaimOutboxMessages(
            context.environment(), now, options.getClaimDuration(), options.getBatchSize(), null))
        .compose(claimed -> publishBatch(claimed)
            .map(count -> count.withMoreWaiting(claimed.size() >= options.getBatchSize()
                && (count.published() > 0 || !claimed.stream().allMatch(this::isBound)))));
  }

  /**
   * Publishes messages that the caller claimed, in batches, one after the other. Completes and fails as
   * {@link #sweep} does; messages that were not reached before their claim ended, or before a failure, are
   * left to the sweeps.
   */
  Future<PublishCount> publish(List<ClaimedOutboxMessage> claimed) {
    if (claimed.size() <= options.getBatchSize()) {
      return publishBatch(claimed);
    }
    List<ClaimedOutboxMessage> rest = claimed.subList(options.getBatchSize(), claimed.size());
    return publishBatch(claimed.subList(0, options.getBatchSize()))
        .compose(first -> publish(rest).map(first::plus));
  }

  private Future<PublishCount> publishBatch(List<ClaimedOutboxMessage> claimed) {
    Instant now = context.eventTime();
    List<ClaimedOutboxMessage> owned = claimed.stream()
        .filter(message -> message.claimExpiresAt().isAfter(now))
        .toList();
    if (owned.size() < claimed.size()) {
      LOG.debug(
          "the claims on {} outbox messages ended before they were published",
          claimed.size() - owned.size());
      context.notifications().outboxChanged(now);
    }
    List<ClaimedOutboxMessage> sendable = owned.stream().filter(this::isBound).toList();
    List<ClaimedOutboxMessage> unbound =
        owned.stream().filter(message -> !isBound(message)).toList();
    if (owned.isEmpty()) {
      return Future.succeededFuture(PublishCount.NOTHING);
    }
    return callTransport(sendable, now).transform((outcomes, failure) -> {
      PublishVerdicts verdicts = new PublishVerdicts(context, options, givenUp);
      unbound.forEach(verdicts::notBound);
      RunlaneException callFailure =
          failure == null ? null : Failures.runlane("transport.publishWakeups", failure);
      for (int index = 0; index < sendable.size(); index++) {
        if (callFailure == null) {
          verdicts.outcome(sendable.get(index), outcomes.get(index));
        } else {
          verdicts.callFailed(sendable.get(index), callFailure);
        }
      }
      return record(verdicts, callFailure);
    });
  }

  private boolean isBound(ClaimedOutboxMessage message) {
    return bound == null || bound.contains(message.message().queue());
  }

  /** Given up before the first of the claims ends, so that no message is published under a lost claim. */
  private Future<List<WakeupPublishOutcome>> callTransport(
      List<ClaimedOutboxMessage> messages, Instant now) {
    if (messages.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    Duration timeout = options.getPublishTimeout();
    for (ClaimedOutboxMessage message : messages) {
      Duration left = Duration.between(now, message.claimExpiresAt());
      timeout = left.compareTo(timeout) < 0 ? left : timeout;
    }
    Duration bound = timeout;
    List<PublishWakeups.Attempt> attempts =
        messages.stream().map(ClaimedOutboxMessage::toAttempt).toList();
    return context
        .timers()
        .within(
            bound,
            context.transport().publishWakeups(new PublishWakeups(attempts)),
            () -> RunlaneException.unavailable(
                ErrorCode.TRANSPORT_UNAVAILABLE,
                null,
                "the transport did not answer within %s",
                bound));
  }

  private Future<PublishCount> record(
      PublishVerdicts verdicts, @Nullable RunlaneException callFailure) {
    return marks.record(verdicts).transform((count, failure) -> {
      verdicts.failed().forEach(each -> {
        if (each.nextAvailableAt() != null) {
          context.notifications().outboxChanged(each.nextAvailableAt());
        }
      });
      if (failure != null) {
        return Future.failedFuture(
            callFailure == null ? failure : Failures.first(List.of(failure, callFailure)));
      }
      if (callFailure != null && !isTransportFailure(callFailure)) {
        return Future.failedFuture(callFailure);
      }
      if (callFailure != null) {
        transportFailures.failed(
            callFailure,
            String.format(
                Locale.ROOT,
                "%d wakeups are tried again later, %d are given up",
                count.failed(),
                count.deadLettered()));
      } else {
        transportFailures.succeeded();
      }
      return Future.succeededFuture(count);
    });
  }

  private static boolean isTransportFailure(RunlaneException failure) {
    return failure.code() == ErrorCode.TRANSPORT_UNAVAILABLE
        || failure.code() == ErrorCode.TRANSPORT_PUBLISH_FAILED;
  }
}
