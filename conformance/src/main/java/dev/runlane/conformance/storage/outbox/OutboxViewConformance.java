package dev.runlane.conformance.storage.outbox;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.FAILURE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.VALIDATION_FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.Environment;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.outbox.OutboxView;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.run.PruneRuns;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Whoever asks why a run does not start is told what became of its wakeups, and changes nothing. */
@DisplayName("showing what became of wakeups")
public abstract class OutboxViewConformance extends StorageConformance {
  private static final FailureRecord OTHER_FAILURE =
      new FailureRecord(FAILURE.code(), "Broker is gone.", true, null);

  private OutboxView view;

  /** Takes the view of the adapter under test. */
  @BeforeEach
  final void openView() {
    view = storage
        .outbox()
        .orElseThrow(() -> new AssertionError("the storage does not show its outbox"));
  }

  @Test
  @Rule("view")
  void a_message_that_nobody_has_claimed_is_pending_from_when_its_delivery_request_says() {
    given(scheduled("run_1", minutes(5)));

    OutboxMessageState shown = only("run_1");

    String id = claimOutbox(NEXT_YEAR, 1).get(0).id();
    assertThat(shown)
        .isEqualTo(
            new OutboxMessageState(id, OutboxMessageStatus.PENDING, minutes(5), null, 0, null));
  }

  @Test
  @Rule("view")
  void a_claimed_message_shows_when_its_claim_ends_also_once_that_has_passed() {
    given(queued("run_1"));
    ClaimedOutboxMessage claimed = claimOutbox(NOON, 1).get(0);

    assertThat(only("run_1"))
        .isEqualTo(new OutboxMessageState(
            claimed.id(), OutboxMessageStatus.CLAIMED, NOON, minutes(1), 0, null));
    assertThat(claimOutbox(minutes(7), 1)).hasSize(1);
    assertThat(only("run_1").claimExpiresAt()).isEqualTo(minutes(8));
  }

  @Test
  @Rule({"view", "commands"})
  void a_message_claimed_at_birth_is_shown_as_claimed() {
    appended(queued("run_1").creation().claimingOutboxFor(Given.MINUTE));

    OutboxMessageState shown = only("run_1");

    assertThat(shown.status()).isEqualTo(OutboxMessageStatus.CLAIMED);
    assertThat(shown.claimExpiresAt()).isEqualTo(minutes(1));
  }

  @Test
  @Rule("view")
  void a_failed_message_shows_its_last_failure_how_often_it_failed_and_when_it_is_due_again() {
    given(queued("run_1"));
    fail(claimOutbox(NOON, 1).get(0), OTHER_FAILURE, minutes(1));
    ClaimedOutboxMessage claimed = claimOutbox(minutes(1), 1).get(0);

    fail(claimed, FAILURE, minutes(5));

    assertThat(only("run_1"))
        .isEqualTo(new OutboxMessageState(
            claimed.id(), OutboxMessageStatus.FAILED, minutes(5), null, 2, FAILURE));
  }

  @Test
  @Rule("view")
  void a_message_claimed_after_a_failure_still_shows_that_failure() {
    given(queued("run_1"));
    fail(claimOutbox(NOON, 1).get(0), FAILURE, minutes(5));

    claimOutbox(minutes(5), 1);

    assertThat(only("run_1").status()).isEqualTo(OutboxMessageStatus.CLAIMED);
    assertThat(only("run_1").failure()).isEqualTo(FAILURE);
    assertThat(only("run_1").failedPublishes()).isEqualTo(1);
  }

  @Test
  @Rule("view")
  void a_message_that_was_given_up_is_still_shown_with_why() {
    given(queued("run_1"));
    ClaimedOutboxMessage claimed = claimOutbox(NOON, 1).get(0);

    Outcomes.done(storage.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
        ENVIRONMENT,
        List.of(new MarkOutboxMessagesDeadLettered.DeadLettered(
            claimed.id(), claimed.claimToken(), FAILURE)),
        NOON)));

    OutboxMessageState shown = only("run_1");
    assertThat(shown.id()).isEqualTo(claimed.id());
    assertThat(shown.status()).isEqualTo(OutboxMessageStatus.DEAD_LETTERED);
    assertThat(shown.claimExpiresAt()).isNull();
    assertThat(shown.failedPublishes()).isEqualTo(1);
    assertThat(shown.failure()).isEqualTo(FAILURE);
  }

  @Test
  @Rule("view")
  void a_published_message_is_shown_as_published_or_not_at_all() {
    given(queued("run_1"));
    ClaimedOutboxMessage claimed = claimOutbox(NOON, 1).get(0);
    assertThat(messages("run_1")).hasSize(1);

    Outcomes.done(storage.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
        ENVIRONMENT,
        List.of(new MarkOutboxMessagesPublished.Published(
            claimed.id(), claimed.claimToken(), "provider_1")),
        NOON)));

    assertThat(messages("run_1"))
        .extracting(OutboxMessageState::status)
        .isSubsetOf(OutboxMessageStatus.PUBLISHED);
  }

  @Test
  @Rule("view")
  void messages_come_in_the_order_of_their_delivery_requests_whatever_became_of_them() {
    RunRecord run = given(queued("run_1"));
    ClaimedOutboxMessage first = claimOutbox(NOON, 1).get(0);
    fail(first, FAILURE, minutes(9));
    append(run, minutes(1), Events.delivery(run, minutes(1), minutes(3)));

    List<OutboxMessageState> shown = messages("run_1");

    assertThat(shown)
        .extracting(OutboxMessageState::availableAt)
        .containsExactly(minutes(9), minutes(3));
    assertThat(shown.get(0).id()).isEqualTo(first.id());
  }

  @Test
  @Rule("view")
  void only_the_messages_of_the_run_are_shown_and_none_for_a_run_without() {
    given(queued("run_1").environment(OTHER_ENVIRONMENT));
    given(scheduled("run_1", minutes(5)));
    given(queued("run_2"));
    given(queued("run_3").queue(Given.bounded(1)));

    assertThat(only("run_1").availableAt()).isEqualTo(minutes(5));
    assertThat(only("run_2").availableAt()).isEqualTo(NOON);
    assertThat(messages("run_3")).isEmpty();
    assertThat(messages("run_unknown")).isEmpty();
    assertThat(messages(OTHER_ENVIRONMENT, "run_2")).isEmpty();
  }

  @Test
  @Rule({"view", "S90"})
  void messages_go_with_their_pruned_run() {
    given(queued("run_2"));
    given(succeeded("run_1"));
    assertThat(messages("run_1")).hasSize(1);

    Outcomes.done(
        storage.pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(), NEXT_YEAR, NEXT_YEAR, null, null)));

    assertThat(messages("run_1")).isEmpty();
    assertThat(messages("run_2")).hasSize(1);
  }

  @Test
  @Rule("view")
  void looking_changes_nothing() {
    given(queued("run_1"));
    StoredState before = stored();

    List<OutboxMessageState> first = messages("run_1");

    assertThat(messages("run_1")).isEqualTo(first).hasSize(1);
    assertNothingStored(before);
    assertThat(claimOutbox(NOON, 1)).hasSize(1);
  }

  @Test
  @Rule({"view", "S12"})
  void a_malformed_query_is_refused() {
    given(queued("run_1"));

    for (String invalid : List.of("", "a:b", "a\0b", "x".repeat(129))) {
      assertFails(view.outboxMessagesOf(new GetRun(ENVIRONMENT, invalid)), VALIDATION_FAILED);
      assertFails(
          view.outboxMessagesOf(new GetRun(new Environment(invalid), "run_1")), VALIDATION_FAILED);
    }

    assertThat(messages("run_1")).hasSize(1);
  }

  private void fail(ClaimedOutboxMessage claimed, FailureRecord failure, Instant next) {
    Outcomes.done(storage.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
        ENVIRONMENT,
        List.of(
            new MarkOutboxMessagesFailed.Failed(claimed.id(), claimed.claimToken(), failure, next)),
        NOON)));
  }

  private OutboxMessageState only(String runId) {
    List<OutboxMessageState> shown = messages(runId);
    assertThat(shown).hasSize(1);
    return shown.get(0);
  }

  private List<OutboxMessageState> messages(String runId) {
    return messages(ENVIRONMENT, runId);
  }

  private List<OutboxMessageState> messages(Environment environment, String runId) {
    return Outcomes.done(view.outboxMessagesOf(new GetRun(environment, runId)));
  }
}
