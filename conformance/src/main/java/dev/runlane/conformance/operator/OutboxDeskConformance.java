package dev.runlane.conformance.operator;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.FAILURE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.outbox.OutboxMessageStatus.CLAIMED;
import static dev.runlane.storage.outbox.OutboxMessageStatus.DEAD_LETTERED;
import static dev.runlane.storage.outbox.OutboxMessageStatus.FAILED;
import static dev.runlane.storage.outbox.OutboxMessageStatus.PENDING;
import static dev.runlane.storage.outbox.OutboxMessageStatus.PUBLISHED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Wakeups that wait, that fail and that were given up, and how those come back. */
@DisplayName("the outbox as operators see it")
public abstract class OutboxDeskConformance extends OperatorConformance {
  @Test
  @Rule("operator")
  void messages_are_listed_by_status_with_what_became_of_them() {
    given(queued("pending").at(minutes(9)));
    List<ClaimedOutboxMessage> claimed = givenClaimed("dead", "failed", "published", "claimed");
    deadLetter(claimed.get(0));
    fail(claimed.get(1), minutes(5));
    publish(claimed.get(2));

    OutboxEntry pending = only(PENDING);
    assertThat(pending.runId()).isEqualTo("pending");
    assertThat(pending.queue()).isEqualTo("default");
    assertThat(pending.availableAt()).isEqualTo(minutes(9));
    assertThat(pending.failure()).isNull();
    assertThat(only(CLAIMED).runId()).isEqualTo(claimed.get(3).message().runId());
    assertThat(only(CLAIMED).claimExpiresAt()).isEqualTo(minutes(1));
    assertThat(only(FAILED))
        .isEqualTo(new OutboxEntry(
            claimed.get(1).id(),
            claimed.get(1).message().runId(),
            "default",
            FAILED,
            minutes(5),
            null,
            1,
            FAILURE));
    assertThat(only(DEAD_LETTERED).id()).isEqualTo(claimed.get(0).id());
    assertThat(only(DEAD_LETTERED).failure()).isEqualTo(FAILURE);
    assertThat(only(DEAD_LETTERED).failedPublishes()).isEqualTo(1);
  }

  @Test
  @Rule("operator")
  void messages_are_listed_by_their_ids_in_pages() {
    List<String> ids = givenClaimed("a", "b", "c", "d", "e").stream()
        .map(ClaimedOutboxMessage::id)
        .sorted()
        .toList();
    assertThat(idsInPages(CLAIMED)).isEqualTo(ids);

    claimOutbox(minutes(1), 10).forEach(this::deadLetter);
    assertThat(idsInPages(DEAD_LETTERED)).isEqualTo(ids);
    assertThat(idsInPages(CLAIMED)).isEmpty();
  }

  @Test
  @Rule("operator")
  void a_dead_lettered_message_that_is_redriven_is_due_at_once_as_if_it_had_never_failed() {
    ClaimedOutboxMessage dead = givenClaimed("dead").get(0);
    deadLetter(dead);

    assertThat(redrive(List.of(dead.id()), 10, minutes(3))).containsExactly(dead.id());

    assertThat(only(PENDING).failedPublishes()).isZero();
    assertThat(only(PENDING).failure()).isNull();
    assertThat(claimOutbox(minutes(3).minusNanos(1_000), 10)).isEmpty();
    ClaimedOutboxMessage again = claimOutbox(minutes(3), 10).get(0);
    assertThat(again.id()).isEqualTo(dead.id());
    assertThat(again.message()).isEqualTo(dead.message());
    assertThat(again.failedPublishes()).isZero();
  }

  @Test
  @Rule("operator")
  void a_failed_message_that_is_named_is_redriven_too() {
    ClaimedOutboxMessage failed = givenClaimed("failed").get(0);
    fail(failed, minutes(60));

    assertThat(redrive(null, 10, minutes(1))).isEmpty();
    assertThat(redrive(List.of(failed.id()), 10, minutes(1))).containsExactly(failed.id());
    assertThat(claimOutbox(minutes(1), 10)).hasSize(1);
  }

  @Test
  @Rule("operator")
  void messages_that_are_claimed_pending_or_published_are_not_redriven() {
    given(queued("pending").at(minutes(9)));
    List<ClaimedOutboxMessage> claimed = givenClaimed("claimed", "published");
    publish(claimed.get(1));

    assertThat(redrive(
            List.of(only(PENDING).id(), claimed.get(0).id(), claimed.get(1).id(), "unknown"),
            10,
            NOON))
        .isEmpty();
    assertThat(only(PENDING).availableAt()).isEqualTo(minutes(9));
    assertThat(only(CLAIMED).id()).isEqualTo(claimed.get(0).id());
  }

  @Test
  @Rule("operator")
  void a_redrive_that_names_none_takes_dead_lettered_ones_up_to_its_limit() {
    List<String> ids = givenClaimed("a", "b", "c").stream()
        .peek(this::deadLetter)
        .map(ClaimedOutboxMessage::id)
        .sorted()
        .toList();

    assertThat(redrive(null, 2, NOON)).isEqualTo(ids.subList(0, 2));
    assertThat(redrive(null, 2, NOON)).isEqualTo(ids.subList(2, 3));
    assertThat(redrive(null, 2, NOON)).isEmpty();
  }

  @Test
  @Rule("operator")
  void a_message_that_many_redrive_at_once_is_redriven_once() {
    List<String> ids = givenClaimed("a", "b", "c").stream()
        .peek(this::deadLetter)
        .map(ClaimedOutboxMessage::id)
        .toList();

    Race.Results<List<String>> race = race(Race.times(
        8,
        i -> adapter -> adapter
            .operator()
            .orElseThrow()
            .redriveOutbox(new RedriveOutbox(ENVIRONMENT, null, 10, NOON))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().flatMap(List::stream))
        .containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_outbox() {
    ClaimedOutboxMessage dead = givenClaimed("dead").get(0);
    deadLetter(dead);

    assertThat(list(OTHER_ENVIRONMENT, DEAD_LETTERED)).isEmpty();
    assertThat(done(operator.redriveOutbox(
            new RedriveOutbox(OTHER_ENVIRONMENT, List.of(dead.id()), 10, NOON))))
        .isEmpty();
    assertThat(list(ENVIRONMENT, DEAD_LETTERED)).hasSize(1);
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_commands_are_refused() {
    assertFails(
        operator.listOutbox(new ListOutbox(ENVIRONMENT, PUBLISHED, null, null)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.listOutbox(new ListOutbox(ENVIRONMENT, PENDING, 0, null)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.redriveOutbox(new RedriveOutbox(ENVIRONMENT, List.of("a:b"), 1, NOON)),
        ErrorCode.VALIDATION_FAILED);
    given(queued("one"));
    given(queued("two"));
    String cursor =
        done(operator.listOutbox(new ListOutbox(ENVIRONMENT, PENDING, 1, null))).nextCursor();
    assertFails(
        operator.listOutbox(new ListOutbox(ENVIRONMENT, FAILED, 1, cursor)),
        ErrorCode.VALIDATION_FAILED);
  }

  private List<ClaimedOutboxMessage> givenClaimed(String... runs) {
    for (String run : runs) {
      given(queued(run));
    }
    List<ClaimedOutboxMessage> claimed = claimOutbox(NOON, runs.length);
    assertThat(claimed).hasSize(runs.length);
    return claimed;
  }

  private void deadLetter(ClaimedOutboxMessage message) {
    done(storage.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
        ENVIRONMENT,
        List.of(new MarkOutboxMessagesDeadLettered.DeadLettered(
            message.id(), message.claimToken(), FAILURE)),
        NOON)));
  }

  private void fail(ClaimedOutboxMessage message, Instant next) {
    done(storage.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
        ENVIRONMENT,
        List.of(
            new MarkOutboxMessagesFailed.Failed(message.id(), message.claimToken(), FAILURE, next)),
        NOON)));
  }

  private void publish(ClaimedOutboxMessage message) {
    done(storage.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
        ENVIRONMENT,
        List.of(
            new MarkOutboxMessagesPublished.Published(message.id(), message.claimToken(), null)),
        NOON)));
  }

  private List<String> redrive(@Nullable List<String> ids, int limit, Instant now) {
    return done(operator.redriveOutbox(new RedriveOutbox(ENVIRONMENT, ids, limit, now)));
  }

  private OutboxEntry only(OutboxMessageStatus status) {
    List<OutboxEntry> found = list(ENVIRONMENT, status);
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private List<OutboxEntry> list(Environment environment, OutboxMessageStatus status) {
    return done(operator.listOutbox(new ListOutbox(environment, status, null, null)))
        .data();
  }

  private List<String> idsInPages(OutboxMessageStatus status) {
    List<List<OutboxEntry>> pages =
        pages(cursor -> operator.listOutbox(new ListOutbox(ENVIRONMENT, status, 2, cursor)));
    assertThat(pages).allMatch(page -> page.size() <= 2);
    return pages.stream().flatMap(List::stream).map(OutboxEntry::id).toList();
  }
}
