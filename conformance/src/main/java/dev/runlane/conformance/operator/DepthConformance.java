package dev.runlane.conformance.operator;

import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.released;
import static dev.runlane.conformance.given.TestRuns.reserved;
import static dev.runlane.conformance.given.TestRuns.retrying;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.EMAILS;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.FAILURE;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.depth.OutboxDepth;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.run.ErrorCode;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What waits, counted by one at a time. */
@DisplayName("depths of queues and of the outbox")
public abstract class DepthConformance extends OperatorConformance {
  @Test
  @Rule("operator")
  void runs_are_counted_by_queue_and_by_what_they_wait_for() {
    given(queued("queued"));
    given(queued("queued earlier").at(NOON.minusSeconds(60)));
    given(scheduled("scheduled", minutes(9)));
    given(retrying("retrying", minutes(9)));
    given(released("released and due", seconds(30)));
    given(running("running", minutes(9)));
    given(running("lost", seconds(20)));
    given(cancellationRequested("cancelled", minutes(9)));
    given(succeeded("succeeded"));
    given(queued("mail").queue(EMAILS).at(seconds(1)));
    given(succeeded("sent").queue(EMAILS));

    assertThat(taken(minutes(1)).queues())
        .containsExactly(
            new QueueDepth("default", 4, 2, 2, NOON.minusSeconds(60)),
            new QueueDepth("emails", 1, 0, 0, seconds(1)));
  }

  @Test
  @Rule("operator")
  void runs_of_bounded_queues_are_counted_too() {
    given(reserved("reserved", minutes(9)).queue(bounded(3)));
    given(running("running", minutes(9)).queue(bounded(3)));
    given(running("lost", seconds(20)).queue(bounded(3)));
    given(queued("queued").queue(bounded(3)));
    given(scheduled("scheduled", minutes(9)).queue(bounded(3)));

    assertThat(taken(minutes(1)).queues())
        .containsExactly(new QueueDepth("bounded", 2, 1, 2, NOON));
  }

  @Test
  @Rule("operator")
  void outbox_messages_are_counted_by_status() {
    for (String run : List.of("a", "b", "c")) {
      given(queued(run));
    }
    List<ClaimedOutboxMessage> claimed = claimOutbox(NOON, 3);
    given(queued("d").at(seconds(5)));
    given(scheduled("e", minutes(9)));
    done(storage.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
        ENVIRONMENT,
        List.of(new MarkOutboxMessagesDeadLettered.DeadLettered(
            claimed.get(0).id(), claimed.get(0).claimToken(), FAILURE)),
        NOON)));
    done(storage.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
        ENVIRONMENT,
        List.of(new MarkOutboxMessagesFailed.Failed(
            claimed.get(1).id(), claimed.get(1).claimToken(), FAILURE, seconds(3))),
        NOON)));

    assertThat(taken(seconds(10)).outbox()).isEqualTo(new OutboxDepth(2, 1, 1, 1, seconds(3)));
  }

  @Test
  @Rule("operator")
  void there_is_no_sample_before_the_first_and_an_empty_one_says_so() {
    assertThat(done(operator.latestSample(new GetSample(ENVIRONMENT)))).isEmpty();

    assertThat(taken(NOON))
        .isEqualTo(new DepthSample(NOON, List.of(), new OutboxDepth(0, 0, 0, 0, null), List.of()));
  }

  @Test
  @Rule("operator")
  void a_sample_stays_until_it_is_old_enough_for_the_next() {
    given(queued("one"));
    assertThat(take(NOON)).isTrue();
    given(queued("two"));

    assertThat(take(minutes(1).minusNanos(1_000))).isFalse();
    assertThat(latest().takenAt()).isEqualTo(NOON);
    assertThat(latest().queues()).extracting(QueueDepth::waiting).containsExactly(1L);

    assertThat(take(minutes(1))).isTrue();
    assertThat(latest().takenAt()).isEqualTo(minutes(1));
    assertThat(latest().queues()).extracting(QueueDepth::waiting).containsExactly(2L);
  }

  @Test
  @Rule("operator")
  void a_clock_that_was_far_ahead_stops_no_sample() {
    assertThat(take(minutes(60))).isTrue();

    assertThat(take(NOON)).isTrue();
    assertThat(latest().takenAt()).isEqualTo(NOON);
  }

  @Test
  @Rule("operator")
  void of_many_that_count_at_once_one_does() {
    given(queued("one"));

    Race.Results<Boolean> race = race(Race.times(
        8,
        i -> adapter -> adapter
            .operator()
            .orElseThrow()
            .takeSample(new TakeSample(ENVIRONMENT, NOON, MINUTE))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results()).filteredOn(won -> won).hasSize(1);
    assertThat(latest().queues()).hasSize(1);
  }

  @Test
  @Rule("operator")
  void environments_are_counted_for_themselves() {
    given(queued("one"));
    assertThat(done(operator.takeSample(new TakeSample(OTHER_ENVIRONMENT, NOON, MINUTE))))
        .isTrue();

    assertThat(
            done(operator.latestSample(new GetSample(OTHER_ENVIRONMENT))).map(DepthSample::queues))
        .contains(List.of());
    assertThat(done(operator.latestSample(new GetSample(ENVIRONMENT)))).isEmpty();
    assertThat(take(NOON)).isTrue();
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_commands_are_refused() {
    assertFails(
        operator.takeSample(new TakeSample(ENVIRONMENT, NOON, Duration.ZERO)),
        ErrorCode.VALIDATION_FAILED);
  }

  private DepthSample taken(Instant now) {
    assertThat(take(now)).isTrue();
    return latest();
  }

  private boolean take(Instant now) {
    return done(operator.takeSample(new TakeSample(ENVIRONMENT, now, MINUTE)));
  }

  private DepthSample latest() {
    return done(operator.latestSample(new GetSample(ENVIRONMENT)))
        .orElseThrow(() -> new AssertionError("no sample was kept"));
  }
}
