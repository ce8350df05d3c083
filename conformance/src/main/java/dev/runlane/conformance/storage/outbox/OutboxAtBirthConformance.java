package dev.runlane.conformance.storage.outbox;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.transport.DeliveryMessage;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An append may claim its own due messages at once; all others are born pending. */
@DisplayName("outbox messages claimed at birth")
public abstract class OutboxAtBirthConformance extends StorageConformance {
  @Test
  @Rule("commands")
  void an_append_claims_its_due_message_when_asked_to() {
    AppendedRun created =
        appended(queued("run_1").concurrencyKey("customer-7").creation().claimingOutboxFor(MINUTE));

    assertThat(created.claimedOutbox()).hasSize(1);
    ClaimedOutboxMessage message = created.claimedOutbox().get(0);
    assertThat(message.message())
        .isEqualTo(new DeliveryMessage(ENVIRONMENT, "run_1", "default", NOON, null));
    assertThat(message.claimExpiresAt()).isEqualTo(minutes(1));
    assertThat(message.failedPublishes()).isZero();
    assertThat(message.groupKey()).isEqualTo("customer-7");
    assertThat(claimOutbox(minutes(1).minusNanos(1_000), 10)).isEmpty();
  }

  @Test
  @Rule("commands")
  void the_token_of_a_message_claimed_at_birth_settles_it() {
    ClaimedOutboxMessage message = appended(queued("run_1").creation().claimingOutboxFor(MINUTE))
        .claimedOutbox()
        .get(0);

    Outcomes.done(storage.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
        ENVIRONMENT,
        List.of(
            new MarkOutboxMessagesPublished.Published(message.id(), message.claimToken(), null)),
        NOON)));

    assertThat(claimOutbox(NEXT_YEAR, 10)).isEmpty();
  }

  @Test
  @Rule("commands")
  void a_claim_at_birth_expires_like_any_other() {
    ClaimedOutboxMessage message = appended(queued("run_1").creation().claimingOutboxFor(MINUTE))
        .claimedOutbox()
        .get(0);

    assertThat(claimOutbox(minutes(1), 10))
        .extracting(ClaimedOutboxMessage::id)
        .containsExactly(message.id());
  }

  @Test
  @Rule("commands")
  void a_message_that_is_due_later_is_born_pending_all_the_same() {
    AppendedRun created =
        appended(scheduled("run_1", minutes(5)).creation().claimingOutboxFor(MINUTE));

    assertThat(created.claimedOutbox()).isEmpty();
    assertThat(claimOutbox(minutes(5), 10)).hasSize(1);
  }

  @Test
  @Rule("commands")
  void an_append_that_does_not_ask_claims_nothing() {
    AppendedRun created = appended(queued("run_1").creation());

    assertThat(created.claimedOutbox()).isEmpty();
    assertThat(claimOutbox(NOON, 10)).hasSize(1);
  }

  @Test
  @Rule("commands")
  void an_append_never_claims_messages_of_others() {
    appended(queued("run_1").creation());

    AppendedRun created = appended(queued("run_2").creation().claimingOutboxFor(MINUTE));

    assertThat(created.claimedOutbox())
        .extracting(message -> message.message().runId())
        .containsExactly("run_2");
    assertThat(claimOutbox(NOON, 10))
        .extracting(message -> message.message().runId())
        .containsExactly("run_1");
  }
}
