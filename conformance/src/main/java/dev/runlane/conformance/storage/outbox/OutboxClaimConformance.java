package dev.runlane.conformance.storage.outbox;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.transport.DeliveryMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A due message belongs to one publisher at a time. */
@DisplayName("claiming outbox messages")
public abstract class OutboxClaimConformance extends StorageConformance {
  @Test
  @Rule("S80")
  void a_claim_answers_the_wakeup_and_a_token_of_the_storage() {
    given(queued("run_1"));

    List<ClaimedOutboxMessage> claimed = claimOutbox(NOON, 10);

    assertThat(claimed).hasSize(1);
    ClaimedOutboxMessage message = claimed.get(0);
    assertThat(message.message())
        .isEqualTo(new DeliveryMessage(ENVIRONMENT, "run_1", "default", NOON, null));
    assertThat(message.claimToken()).isNotEmpty();
    assertThat(message.claimExpiresAt()).isEqualTo(minutes(1));
    assertThat(message.availableAt()).isEqualTo(NOON);
    assertThat(message.failedPublishes()).isZero();
  }

  @Test
  @Rule({"S80", "formats"})
  void a_claim_ends_cut_to_a_microsecond_whatever_the_century() {
    Instant longAgo = Instant.parse("1969-12-31T23:59:59.999999Z");
    given(queued("run_1").at(longAgo));

    List<ClaimedOutboxMessage> claimed = Outcomes.done(storage.claimOutboxMessages(
        new ClaimOutboxMessages(ENVIRONMENT, longAgo, Duration.ofNanos(1_999), 1, null)));

    assertThat(claimed)
        .extracting(ClaimedOutboxMessage::claimExpiresAt)
        .containsExactly(longAgo.plusNanos(1_000));
  }

  @Test
  @Rule("S80")
  void a_message_carries_the_trace_of_its_delivery_request() {
    RunRecord run = given(queued("run_1"));
    Map<String, String> trace = Map.of("traceparent", "00-abc-def-01");
    DeliveryIntent intent =
        new DeliveryIntent(ENVIRONMENT, "run_1", "default", minutes(1), minutes(1), null, trace);
    append(run, minutes(1), new RunEvent.DeliveryRequested(Events.header(run, minutes(1)), intent));

    assertThat(claimOutbox(minutes(1), 10))
        .extracting(ClaimedOutboxMessage::message)
        .containsExactly(
            new DeliveryMessage(ENVIRONMENT, "run_1", "default", NOON, null),
            new DeliveryMessage(ENVIRONMENT, "run_1", "default", minutes(1), trace));
  }

  @Test
  @Rule("S80")
  void a_message_names_the_concurrency_key_of_its_run_as_its_group() {
    given(queued("run_1").concurrencyKey("customer-7"));
    given(queued("run_2"));

    assertThat(claimOutbox(NOON, 10))
        .extracting(ClaimedOutboxMessage::groupKey)
        .containsExactlyInAnyOrder("customer-7", null);
  }

  @Test
  @Rule("S80")
  void due_messages_are_claimed_oldest_first() {
    given(scheduled("run_1", minutes(3)));
    given(scheduled("run_2", minutes(2)));
    given(scheduled("run_3", minutes(1)));

    assertThat(runIds(claimOutbox(minutes(5), 2))).containsExactly("run_3", "run_2");
    assertThat(runIds(claimOutbox(minutes(5), 2))).containsExactly("run_1");
  }

  @Test
  @Rule("S80")
  void a_message_names_its_group_also_once_its_run_has_ended() {
    RunRecord run = given(queued("run_1").concurrencyKey("customer-7"));
    append(run, NOON, Events.cancelled(run, NOON));

    assertThat(claimOutbox(NOON, 10))
        .extracting(ClaimedOutboxMessage::groupKey)
        .containsExactly("customer-7");
  }

  @Test
  @Rule("S80")
  void a_message_whose_request_has_no_trace_carries_that_of_its_run() {
    Map<String, String> trace = Map.of("traceparent", "00-abc-def-01");
    AppendRunEvents creation = queued("run_1").creation();
    List<RunEvent> events = new ArrayList<>();
    RunEvent.Created created = (RunEvent.Created) creation.events().get(0);
    EventHeader header = created.header();
    events.add(new RunEvent.Created(
        new EventHeader(
            header.environment(),
            header.runId(),
            header.actor(),
            header.occurredAt(),
            trace,
            header.meta()),
        created.taskId(),
        created.queue(),
        created.payload(),
        created.runAt(),
        created.keys(),
        created.source()));
    events.add(creation.events().get(1));
    RunRecord run = appended(
            AppendRunEvents.of(RunReducer.projectRunEvents(null, 0, events), events, NOON))
        .run();
    append(run, minutes(1), Events.delivery(run, minutes(1), minutes(1)));

    assertThat(claimOutbox(minutes(1), 10))
        .extracting(message -> message.message().traceCarrier())
        .containsExactly(trace, trace);
  }

  @Test
  @Rule("S80")
  void an_expired_claim_is_due_from_its_end_on_and_takes_its_place_among_the_pending() {
    given(queued("run_1"));
    assertThat(claimOutbox(NOON, 10)).hasSize(1);
    given(scheduled("run_2", minutes(3)));
    given(scheduled("run_3", seconds(30)));

    List<ClaimedOutboxMessage> first = Outcomes.done(storage.claimOutboxMessages(
        new ClaimOutboxMessages(ENVIRONMENT, minutes(5), MINUTE.multipliedBy(9), 1, null)));

    assertThat(runIds(first)).containsExactly("run_3");
    assertThat(runIds(claimOutbox(minutes(5), 10))).containsExactly("run_1", "run_2");
  }

  @Test
  @Rule({"S81", "S80"})
  void a_limited_claim_of_named_messages_takes_those_due_longest() {
    given(scheduled("run_1", minutes(1)));
    String first = claimOutbox(minutes(1), 10).get(0).id();
    given(scheduled("run_2", seconds(70)));
    String second = claimOutbox(seconds(90), 10).get(0).id();

    List<ClaimedOutboxMessage> claimed = Outcomes.done(storage.claimOutboxMessages(
        new ClaimOutboxMessages(ENVIRONMENT, minutes(5), MINUTE, 1, List.of(second, first))));

    assertThat(claimed).extracting(ClaimedOutboxMessage::id).containsExactly(first);
  }

  @Test
  @Rule({"S80", "formats"})
  void the_end_of_a_claim_is_cut_to_microseconds() {
    given(queued("run_1"));
    Duration odd = MINUTE.plusNanos(1_999);

    List<ClaimedOutboxMessage> claimed = Outcomes.done(
        storage.claimOutboxMessages(new ClaimOutboxMessages(ENVIRONMENT, NOON, odd, 10, null)));

    assertThat(claimed)
        .extracting(ClaimedOutboxMessage::claimExpiresAt)
        .containsExactly(minutes(1).plusNanos(1_000));
    assertThat(claimOutbox(minutes(1), 10)).isEmpty();
    assertThat(claimOutbox(minutes(1).plusNanos(1_000), 10)).hasSize(1);
  }

  @Test
  @Rule("S80")
  void messages_that_are_not_due_yet_are_left() {
    given(scheduled("run_1", minutes(3)));

    assertThat(claimOutbox(minutes(3).minusNanos(1_000), 10)).isEmpty();
    assertThat(claimOutbox(minutes(3), 10)).hasSize(1);
  }

  @Test
  @Rule("S80")
  void a_claimed_message_is_claimed_again_only_once_its_claim_has_expired() {
    given(queued("run_1"));
    ClaimedOutboxMessage first = claimOutbox(NOON, 10).get(0);

    assertThat(claimOutbox(minutes(1).minusNanos(1_000), 10)).isEmpty();
    List<ClaimedOutboxMessage> again = claimOutbox(minutes(1), 10);

    assertThat(again).extracting(ClaimedOutboxMessage::id).containsExactly(first.id());
    assertThat(again.get(0).claimToken()).isNotEqualTo(first.claimToken());
  }

  @Test
  @Rule("S80")
  void messages_of_another_environment_are_left() {
    given(queued("run_1").environment(OTHER_ENVIRONMENT));

    assertThat(claimOutbox(NOON, 10)).isEmpty();
  }

  @Test
  @Rule("S80")
  void messages_of_another_environment_take_no_place_of_the_limit() {
    given(queued("run_1").environment(OTHER_ENVIRONMENT));
    given(queued("run_2").at(seconds(1)));

    assertThat(runIds(claimOutbox(seconds(1), 1))).containsExactly("run_2");
  }

  @Test
  @Rule("S81")
  void a_claim_of_named_messages_is_never_widened_to_others() {
    givenAll(Race.times(5, i -> queued("run_" + i)));
    List<String> ids =
        claimOutbox(NOON, 10).stream().map(ClaimedOutboxMessage::id).toList();

    List<ClaimedOutboxMessage> claimed = claimNamed(minutes(1), List.of(ids.get(3), ids.get(1)));

    assertThat(claimed)
        .extracting(ClaimedOutboxMessage::id)
        .containsExactlyInAnyOrder(ids.get(1), ids.get(3));
    assertThat(claimOutbox(minutes(1), 10)).hasSize(3);
  }

  @Test
  @Rule("S81")
  void named_messages_that_are_unknown_not_due_or_claimed_are_not_answered() {
    given(queued("run_1"));
    given(scheduled("run_2", minutes(30)));
    given(queued("run_3").environment(OTHER_ENVIRONMENT));
    List<String> ids = new ArrayList<>(List.of("msg_unknown"));
    claimOutbox(minutes(30), 10).forEach(message -> ids.add(message.id()));
    Outcomes.done(storage.claimOutboxMessages(
            new ClaimOutboxMessages(OTHER_ENVIRONMENT, NOON, MINUTE, 10, null)))
        .forEach(message -> ids.add(message.id()));

    assertThat(ids).hasSize(4);
    assertThat(claimNamed(minutes(30), ids)).isEmpty();
    assertThat(claimNamed(NOON, ids)).isEmpty();
  }

  @Test
  @Rule("S81")
  void a_message_that_is_named_twice_is_claimed_once_and_takes_one_place_of_the_limit() {
    givenAll(Race.times(3, i -> queued("run_" + i)));
    List<String> ids =
        claimOutbox(NOON, 10).stream().map(ClaimedOutboxMessage::id).toList();
    String doubled = ids.get(2);

    List<ClaimedOutboxMessage> claimed =
        Outcomes.done(storage.claimOutboxMessages(new ClaimOutboxMessages(
            ENVIRONMENT, minutes(1), MINUTE, 2, List.of(doubled, doubled, ids.get(0)))));

    assertThat(claimed)
        .extracting(ClaimedOutboxMessage::id)
        .containsExactlyInAnyOrder(ids.get(0), doubled);
  }

  @Test
  @Rule("S81")
  void a_claim_that_names_no_message_claims_none() {
    given(queued("run_1"));

    assertThat(claimNamed(NOON, List.of())).isEmpty();
    assertThat(claimOutbox(NOON, 10)).hasSize(1);
  }

  @Test
  @Rule("S82")
  void competing_publishers_never_claim_the_same_message() {
    givenAll(Race.times(40, i -> queued("run_" + i)));

    Race.Results<List<ClaimedOutboxMessage>> race = race(Race.times(
        8,
        i -> adapter -> adapter.claimOutboxMessages(
            new ClaimOutboxMessages(ENVIRONMENT, NOON, MINUTE, 10, null))));

    assertThat(race.failures()).isEmpty();
    List<ClaimedOutboxMessage> claimed = new ArrayList<>();
    race.results().forEach(claimed::addAll);
    assertThat(claimed).isNotEmpty().extracting(ClaimedOutboxMessage::id).doesNotHaveDuplicates();
    claimed.addAll(claimOutbox(NOON, 100));
    assertThat(claimed).hasSize(40).extracting(ClaimedOutboxMessage::id).doesNotHaveDuplicates();
  }

  private List<ClaimedOutboxMessage> claimNamed(Instant now, List<String> ids) {
    return Outcomes.done(
        storage.claimOutboxMessages(new ClaimOutboxMessages(ENVIRONMENT, now, MINUTE, 10, ids)));
  }

  private static List<String> runIds(List<ClaimedOutboxMessage> messages) {
    return messages.stream().map(message -> message.message().runId()).toList();
  }
}
