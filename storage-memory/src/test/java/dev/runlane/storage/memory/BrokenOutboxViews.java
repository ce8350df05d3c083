package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.Environment;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.outbox.OutboxView;
import dev.runlane.storage.read.GetRun;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Storages that show what became of wakeups wrongly. */
final class BrokenOutboxViews {
  private static final Duration LONG = Duration.ofDays(36_500);
  private static final String PENDING =
      "OutboxView.a_message_that_nobody_has_claimed_is_pending_from_when_its_delivery_request_says";
  private static final String CLAIMED =
      "OutboxView.a_claimed_message_shows_when_its_claim_ends_also_once_that_has_passed";
  private static final String FAILED =
      "OutboxView.a_failed_message_shows_its_last_failure_how_often_it_failed_and_when_it_is_due_again";
  private static final String GIVEN_UP =
      "OutboxView.a_message_that_was_given_up_is_still_shown_with_why";
  private static final String ORDER =
      "OutboxView.messages_come_in_the_order_of_their_delivery_requests_whatever_became_of_them";
  private static final String SCOPE =
      "OutboxView.only_the_messages_of_the_run_are_shown_and_none_for_a_run_without";

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "shows every message as pending",
          showing(row -> with(row, OutboxMessageStatus.PENDING, row.claimExpiresAt())),
          CLAIMED,
          "OutboxView.a_message_claimed_at_birth_is_shown_as_claimed",
          FAILED,
          GIVEN_UP),
      that(
          "shows messages under other ids",
          showing(row -> new OutboxMessageState(
              "other_" + row.id(),
              row.status(),
              row.availableAt(),
              row.claimExpiresAt(),
              row.failedPublishes(),
              row.failure())),
          PENDING,
          ORDER),
      that(
          "hides when a claim ends",
          showing(row -> with(row, row.status(), null)),
          CLAIMED,
          "OutboxView.a_message_claimed_at_birth_is_shown_as_claimed"),
      that(
          "forgets why publishing failed once the message is claimed again",
          showing(row -> row.status() == OutboxMessageStatus.CLAIMED
              ? new OutboxMessageState(
                  row.id(), row.status(), row.availableAt(), row.claimExpiresAt(), 0, null)
              : row),
          "OutboxView.a_message_claimed_after_a_failure_still_shows_that_failure"),
      that(
          "shows published messages as claimed",
          showing(row -> row.status() == OutboxMessageStatus.PUBLISHED
              ? with(row, OutboxMessageStatus.CLAIMED, row.availableAt())
              : row),
          "OutboxView.a_published_message_is_shown_as_published_or_not_at_all"),
      that(
          "shows no message that was given up",
          listing((view, query) -> view.outboxMessagesOf(query).map(rows -> rows.stream()
              .filter(row -> row.status() != OutboxMessageStatus.DEAD_LETTERED)
              .toList())),
          GIVEN_UP),
      that(
          "shows messages by when they are due",
          listing((view, query) -> view.outboxMessagesOf(query).map(rows -> rows.stream()
              .sorted(Comparator.comparing(OutboxMessageState::availableAt))
              .toList())),
          ORDER),
      that(
          "shows messages newest first",
          listing((view, query) -> view.outboxMessagesOf(query).map(rows -> {
            List<OutboxMessageState> reversed = new ArrayList<>(rows);
            Collections.reverse(reversed);
            return reversed;
          })),
          ORDER),
      that(
          "shows the messages of a run of any environment",
          listing(
              (view, query) -> view.outboxMessagesOf(query).compose(own -> view.outboxMessagesOf(
                      new GetRun(new Environment("elsewhere"), query.runId()))
                  .map(others -> Stream.concat(own.stream(), others.stream()).toList()))),
          SCOPE),
      that(
          "claims what it shows",
          real -> new ForwardingStorage(real) {
            @Override
            public Optional<OutboxView> outbox() {
              return real.outbox()
                  .map(view -> query -> real.claimOutboxMessages(new ClaimOutboxMessages(
                          query.environment(), Instant.EPOCH.plus(LONG), LONG, 100, null))
                      .compose(claimed -> view.outboxMessagesOf(query)));
            }
          },
          "OutboxView.looking_changes_nothing",
          PENDING),
      that(
          "keeps the messages of pruned runs",
          Remembering::new,
          "OutboxView.messages_go_with_their_pruned_run"),
      that(
          "shows no messages of a run that cannot be",
          listing((view, query) -> view.outboxMessagesOf(query).otherwise(List.of())),
          "OutboxView.a_malformed_query_is_refused"));

  private BrokenOutboxViews() {}

  private static UnaryOperator<StorageAdapter> showing(UnaryOperator<OutboxMessageState> breaking) {
    return listing((view, query) ->
        view.outboxMessagesOf(query).map(rows -> rows.stream().map(breaking).toList()));
  }

  private static UnaryOperator<StorageAdapter> listing(
      BiFunction<OutboxView, GetRun, Future<List<OutboxMessageState>>> breaking) {
    return real -> new ForwardingStorage(real) {
      @Override
      public Optional<OutboxView> outbox() {
        return real.outbox().map(view -> query -> breaking.apply(view, query));
      }
    };
  }

  private static OutboxMessageState with(
      OutboxMessageState row, OutboxMessageStatus status, @Nullable Instant claimExpiresAt) {
    return new OutboxMessageState(
        row.id(), status, row.availableAt(), claimExpiresAt, row.failedPublishes(), row.failure());
  }

  /** Shows what it has once shown where nothing is left. */
  private static final class Remembering extends ForwardingStorage implements OutboxView {
    private final Map<GetRun, List<OutboxMessageState>> shown = new ConcurrentHashMap<>();

    Remembering(StorageAdapter real) {
      super(real);
    }

    @Override
    public Optional<OutboxView> outbox() {
      return Optional.of(this);
    }

    @Override
    public Future<List<OutboxMessageState>> outboxMessagesOf(GetRun query) {
      return real.outbox().orElseThrow().outboxMessagesOf(query).map(rows -> {
        if (!rows.isEmpty()) {
          shown.put(query, rows);
        }
        return shown.getOrDefault(query, rows);
      });
    }
  }
}
