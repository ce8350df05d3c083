package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.ForwardingTransportAdapter;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;

/** Transports that publish wrongly. */
final class BrokenTransports {
  private static final WakeupPublishOutcome PUBLISHED = new WakeupPublishOutcome.Published(null);

  static final List<BrokenAdapter<TransportAdapter>> ALL = List.of(
      that(
          "says published and forgets the wakeup",
          publishing((real, command) -> Future.succeededFuture(
              command.attempts().stream().map(attempt -> PUBLISHED).toList())),
          "Publish.there_are_as_many_outcomes_as_attempts_and_every_wakeup_arrives",
          "Publish.competing_publishers_lose_nothing"),
      that(
          "tells the outcomes of refused wakeups only",
          publishing((real, command) -> real.publishWakeups(command)
              .map(all -> all.stream().filter(each -> !each.isPublished()).toList())),
          "Publish.there_are_as_many_outcomes_as_attempts_and_every_wakeup_arrives",
          "Faults.refused_wakeups_fail_alone_and_outcome_i_belongs_to_attempt_i"),
      that(
          "mixes the outcomes up",
          publishing((real, command) -> real.publishWakeups(command).map(all -> {
            List<WakeupPublishOutcome> reversed = new ArrayList<>(all);
            Collections.reverse(reversed);
            return reversed;
          })),
          "Faults.refused_wakeups_fail_alone_and_outcome_i_belongs_to_attempt_i",
          "Faults.outcomes_stay_aligned_when_a_large_command_is_split"),
      that(
          "publishes the first hundred wakeups of a command",
          publishing((real, command) -> real.publishWakeups(
                  new PublishWakeups(command.attempts().stream().limit(100).toList()))
              .map(outcomes -> {
                List<WakeupPublishOutcome> all = new ArrayList<>(outcomes);
                all.addAll(Collections.nCopies(command.attempts().size() - all.size(), PUBLISHED));
                return all;
              })),
          "Publish.a_command_larger_than_any_limit_of_the_provider_arrives_whole"),
      that(
          "publishes every wakeup twice",
          publishing((real, command) ->
              real.publishWakeups(command).compose(first -> real.publishWakeups(command))),
          "Publish.there_are_as_many_outcomes_as_attempts_and_every_wakeup_arrives"),
      that(
          "drops the trace",
          publishing((real, command) -> real.publishWakeups(new PublishWakeups(
              command.attempts().stream().map(BrokenTransports::untraced).toList()))),
          "Publish.a_wakeup_arrives_with_everything_it_says_and_nothing_else"),
      that(
          "publishes what is in order of a malformed command",
          publishing((real, command) -> real.publishWakeups(command)
              .recover(failure -> real.publishWakeups(
                      new PublishWakeups(command.attempts().subList(0, 1)))
                  .compose(outcomes -> Future.failedFuture(failure)))),
          "Publish.a_malformed_command_fails_its_future_and_publishes_nothing",
          "Publish.a_queue_without_a_binding_is_refused_where_bindings_are_listed"),
      that(
          "fails a whole command with one of its wakeups",
          publishing((real, command) -> real.publishWakeups(command)
              .compose(all -> all.stream().allMatch(WakeupPublishOutcome::isPublished)
                  ? Future.succeededFuture(all)
                  : Future.failedFuture(
                      RunlaneException.of(ErrorCode.TRANSPORT_PUBLISH_FAILED, "one refused")))),
          "Faults.refused_wakeups_fail_alone_and_outcome_i_belongs_to_attempt_i"),
      that(
          "calls a refusal an outage",
          publishing((real, command) -> real.publishWakeups(command).map(all -> all.stream()
              .map(each -> each.isPublished() ? each : failed(ErrorCode.TRANSPORT_UNAVAILABLE))
              .toList())),
          "Faults.a_refusal_is_a_failed_publish_of_a_provider_that_can_be_reached"),
      that(
          "calls an outage a refusal",
          publishing((real, command) -> real.publishWakeups(command)
              .otherwise(command.attempts().stream()
                  .map(attempt -> failed(ErrorCode.TRANSPORT_PUBLISH_FAILED))
                  .toList())),
          "Faults.an_outage_fails_the_whole_call_and_may_go_away"),
      that(
          "publishes after it was closed",
          real -> new ForwardingTransportAdapter(real) {
            @Override
            public Future<Void> close() {
              return Future.succeededFuture();
            }
          },
          "Lifecycle.closing_twice_is_harmless_and_publishing_afterwards_fails"),
      that(
          "cannot be closed twice",
          CloseOnce::new,
          "Lifecycle.closing_twice_is_harmless_and_publishing_afterwards_fails"));

  private BrokenTransports() {}

  private interface Publishing {
    Future<List<WakeupPublishOutcome>> publish(TransportAdapter real, PublishWakeups command);
  }

  private static UnaryOperator<TransportAdapter> publishing(Publishing how) {
    return real -> new ForwardingTransportAdapter(real) {
      @Override
      public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
        return how.publish(real, command);
      }
    };
  }

  private static WakeupPublishOutcome failed(ErrorCode code) {
    return new WakeupPublishOutcome.Failed(new FailureRecord(code, "failed", true, null));
  }

  private static PublishWakeups.Attempt untraced(PublishWakeups.Attempt attempt) {
    DeliveryMessage message = attempt.message();
    return new PublishWakeups.Attempt(
        attempt.outboxMessageId(),
        attempt.claimToken(),
        new DeliveryMessage(
            message.environment(), message.runId(), message.queue(), message.requestedAt(), null));
  }

  private static final class CloseOnce extends ForwardingTransportAdapter {
    private boolean closed;

    CloseOnce(TransportAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> close() {
      if (closed) {
        return Future.failedFuture(new IllegalStateException("closed already"));
      }
      closed = true;
      return delegate.close();
    }
  }
}
