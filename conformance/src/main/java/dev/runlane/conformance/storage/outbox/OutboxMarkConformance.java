package dev.runlane.conformance.storage.outbox;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.FAILURE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.run.StorageConflictKind.OUTBOX_CLAIM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Only who holds the claim says what became of a message. */
@DisplayName("marking outbox messages")
public abstract class OutboxMarkConformance extends StorageConformance {
  @Test
  @Rule("S83")
  void a_published_message_never_returns() {
    List<ClaimedOutboxMessage> claimed = givenClaimed(2);

    Outcomes.done(publish(ENVIRONMENT, claimed.subList(0, 1)));

    assertThat(claimOutbox(NEXT_YEAR, 10))
        .extracting(ClaimedOutboxMessage::id)
        .containsExactly(claimed.get(1).id());
  }

  @Test
  @Rule("S83")
  void a_failed_message_returns_when_it_is_available_again_and_counts_its_failures() {
    List<ClaimedOutboxMessage> claimed = givenClaimed(1);

    Outcomes.done(fail(claimed, minutes(5)));

    assertThat(claimOutbox(minutes(5).minusNanos(1_000), 10)).isEmpty();
    List<ClaimedOutboxMessage> second = claimOutbox(minutes(5), 10);
    assertThat(second)
        .extracting(ClaimedOutboxMessage::id)
        .containsExactly(claimed.get(0).id());
    assertThat(second.get(0).failedPublishes()).isEqualTo(1);
    Outcomes.done(fail(second, minutes(9)));
    assertThat(claimOutbox(minutes(9), 10))
        .extracting(ClaimedOutboxMessage::failedPublishes)
        .containsExactly(2);
  }

  @Test
  @Rule("S83")
  void a_message_that_nobody_tried_to_publish_returns_and_counts_as_failed_once_at_most() {
    List<ClaimedOutboxMessage> claimed = givenClaimed(1);

    for (int look = 1; look <= 3; look++) {
      Outcomes.done(postpone(claimed, minutes(5L * look)));
      assertThat(claimOutbox(minutes(5L * look).minusNanos(1_000), 10)).isEmpty();
      claimed = claimOutbox(minutes(5L * look), 10);
      assertThat(claimed).extracting(ClaimedOutboxMessage::failedPublishes).containsExactly(1);
    }
    Outcomes.done(fail(claimed, minutes(20)));
    Outcomes.done(postpone(claimOutbox(minutes(20), 10), minutes(25)));

    assertThat(claimOutbox(minutes(25), 10))
        .extracting(ClaimedOutboxMessage::failedPublishes)
        .containsExactly(2);
  }

  @Test
  @Rule("S83")
  void a_failed_message_without_a_time_is_due_at_once() {
    List<ClaimedOutboxMessage> claimed = givenClaimed(1);

    Outcomes.done(fail(claimed, null));

    assertThat(claimOutbox(NOON, 10)).hasSize(1);
  }

  @Test
  @Rule("S83")
  void a_dead_lettered_message_is_never_claimed_again() {
    List<ClaimedOutboxMessage> claimed = givenClaimed(1);

    Outcomes.done(deadLetter(claimed));

    assertThat(claimOutbox(NEXT_YEAR, 10)).isEmpty();
  }

  @Test
  @Rule("S83")
  void a_claim_that_has_expired_is_good_until_somebody_else_claims() {
    List<ClaimedOutboxMessage> claimed = givenClaimed(1);

    Outcomes.done(storage.markOutboxMessagesPublished(
        new MarkOutboxMessagesPublished(ENVIRONMENT, published(claimed), minutes(5))));

    assertThat(claimOutbox(NEXT_YEAR, 10)).isEmpty();
  }

  @Test
  @Rule("S84")
  void a_token_is_worth_nothing_once_somebody_else_has_claimed() {
    List<ClaimedOutboxMessage> late = givenClaimed(1);
    List<ClaimedOutboxMessage> current = claimOutbox(minutes(1), 10);

    assertConflict(publish(ENVIRONMENT, late), OUTBOX_CLAIM);
    assertConflict(fail(late, null), OUTBOX_CLAIM);
    assertConflict(deadLetter(late), OUTBOX_CLAIM);

    assertThat(claimOutbox(minutes(1), 10)).isEmpty();
    Outcomes.done(publish(ENVIRONMENT, current));
  }

  @Test
  @Rule("S84")
  void a_message_that_is_settled_or_unknown_is_a_conflict() {
    List<ClaimedOutboxMessage> claimed = givenClaimed(2);
    Outcomes.done(publish(ENVIRONMENT, claimed.subList(0, 1)));
    Outcomes.done(deadLetter(claimed.subList(1, 2)));

    assertConflict(fail(claimed.subList(0, 1), null), OUTBOX_CLAIM);
    assertConflict(fail(claimed.subList(1, 2), null), OUTBOX_CLAIM);
    assertConflict(
        storage.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
            ENVIRONMENT,
            List.of(new MarkOutboxMessagesPublished.Published("msg_unknown", "tok_any", null)),
            NOON)),
        OUTBOX_CLAIM);

    assertThat(claimOutbox(NEXT_YEAR, 10)).isEmpty();
  }

  @Test
  @Rule("S84")
  void marks_stay_inside_their_environment() {
    List<ClaimedOutboxMessage> claimed = givenClaimed(1);

    assertConflict(publish(OTHER_ENVIRONMENT, claimed), OUTBOX_CLAIM);

    assertThat(claimOutbox(minutes(1), 10)).hasSize(1);
  }

  @Test
  @Rule({"S84", "m11"})
  void a_batch_with_one_stale_claim_changes_nothing() {
    List<ClaimedOutboxMessage> claimed = givenClaimed(3);
    Outcomes.done(publish(ENVIRONMENT, claimed.subList(1, 2)));

    assertConflict(publish(ENVIRONMENT, claimed), OUTBOX_CLAIM);
    assertConflict(fail(claimed, null), OUTBOX_CLAIM);
    assertConflict(deadLetter(claimed), OUTBOX_CLAIM);

    assertThat(claimOutbox(NOON, 10)).isEmpty();
    assertThat(claimOutbox(minutes(1), 10))
        .extracting(ClaimedOutboxMessage::id)
        .containsExactlyInAnyOrder(claimed.get(0).id(), claimed.get(2).id());
  }

  @Test
  @Rule("S85")
  void failures_of_every_code_with_details_of_the_provider_are_accepted() {
    Json details = Json.ofChecked("{\"provider\":\"ThrottlingException\"}");
    Iterator<ClaimedOutboxMessage> claimed =
        givenClaimed(ErrorCode.values().length).iterator();
    List<MarkOutboxMessagesFailed.Failed> failures = new ArrayList<>();
    for (ErrorCode code : ErrorCode.values()) {
      ClaimedOutboxMessage message = claimed.next();
      failures.add(new MarkOutboxMessagesFailed.Failed(
          message.id(),
          message.claimToken(),
          new FailureRecord(code, "Refused.", false, details),
          minutes(5)));
    }

    Outcomes.done(storage.markOutboxMessagesFailed(
        new MarkOutboxMessagesFailed(ENVIRONMENT, failures, NOON)));

    assertThat(claimOutbox(minutes(5), 100)).hasSameSizeAs(failures);
  }

  @Test
  @Rule("S84")
  void marking_no_message_is_no_failure() {
    givenClaimed(1);

    Outcomes.done(publish(ENVIRONMENT, List.of()));
    Outcomes.done(fail(List.of(), null));
    Outcomes.done(deadLetter(List.of()));

    assertThat(claimOutbox(minutes(1), 10)).hasSize(1);
  }

  @Test
  @Rule({"S83", "m11"})
  void a_message_that_is_named_twice_is_marked_once_as_its_first_mark_says() {
    List<ClaimedOutboxMessage> claimed = givenClaimed(3);
    ClaimedOutboxMessage failed = claimed.get(1);

    Outcomes.done(publish(ENVIRONMENT, List.of(claimed.get(0), claimed.get(0))));
    Outcomes.done(storage.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
        ENVIRONMENT,
        List.of(
            failedUntil(failed, failed.claimToken(), minutes(5)),
            failedUntil(failed, failed.claimToken(), minutes(9))),
        NOON)));
    Outcomes.done(deadLetter(List.of(claimed.get(2), claimed.get(2))));

    assertThat(claimOutbox(minutes(5), 10)).singleElement().satisfies(again -> {
      assertThat(again.id()).isEqualTo(failed.id());
      assertThat(again.failedPublishes()).isEqualTo(1);
    });
  }

  @Test
  @Rule({"S84", "m11"})
  void a_message_that_is_named_twice_with_one_stale_token_is_not_marked() {
    ClaimedOutboxMessage claimed = givenClaimed(1).get(0);

    assertConflict(
        storage.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
            ENVIRONMENT,
            List.of(
                failedUntil(claimed, claimed.claimToken(), NOON),
                failedUntil(claimed, "tok_stale", NOON)),
            NOON)),
        OUTBOX_CLAIM);

    assertThat(claimOutbox(NOON, 10)).isEmpty();
    Outcomes.done(publish(ENVIRONMENT, List.of(claimed)));
  }

  private static MarkOutboxMessagesFailed.Failed failedUntil(
      ClaimedOutboxMessage claimed, String token, Instant nextAvailableAt) {
    return new MarkOutboxMessagesFailed.Failed(claimed.id(), token, FAILURE, nextAvailableAt);
  }

  private List<ClaimedOutboxMessage> givenClaimed(int count) {
    givenAll(Race.times(count, i -> queued("run_" + i)));
    List<ClaimedOutboxMessage> claimed = claimOutbox(NOON, count);
    assertThat(claimed).hasSize(count);
    return claimed;
  }

  private Future<Void> publish(Environment environment, List<ClaimedOutboxMessage> claimed) {
    return storage.markOutboxMessagesPublished(
        new MarkOutboxMessagesPublished(environment, published(claimed), NOON));
  }

  private static List<MarkOutboxMessagesPublished.Published> published(
      List<ClaimedOutboxMessage> claimed) {
    return claimed.stream()
        .map(each -> new MarkOutboxMessagesPublished.Published(
            each.id(), each.claimToken(), "provider_" + each.id()))
        .toList();
  }

  private Future<Void> fail(List<ClaimedOutboxMessage> claimed, @Nullable Instant nextAvailableAt) {
    return markFailed(claimed, nextAvailableAt, true);
  }

  private Future<Void> postpone(List<ClaimedOutboxMessage> claimed, Instant nextAvailableAt) {
    return markFailed(claimed, nextAvailableAt, false);
  }

  private Future<Void> markFailed(
      List<ClaimedOutboxMessage> claimed, @Nullable Instant nextAvailableAt, boolean counted) {
    return storage.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
        ENVIRONMENT,
        claimed.stream()
            .map(each -> new MarkOutboxMessagesFailed.Failed(
                each.id(), each.claimToken(), FAILURE, nextAvailableAt, counted))
            .toList(),
        NOON));
  }

  private Future<Void> deadLetter(List<ClaimedOutboxMessage> claimed) {
    return storage.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
        ENVIRONMENT,
        claimed.stream()
            .map(each -> new MarkOutboxMessagesDeadLettered.DeadLettered(
                each.id(), each.claimToken(), FAILURE))
            .toList(),
        NOON));
  }
}
