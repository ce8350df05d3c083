package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Storages that get the outbox wrong. */
final class BrokenOutbox {
  private static final Duration A_CENTURY = Duration.ofDays(36_500);
  private static final FailureRecord ANY =
      new FailureRecord(ErrorCode.TRANSPORT_PUBLISH_FAILED, "refused", true, null);

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "widens a claim of given messages",
          real -> new Claiming(real, claim -> with(claim, claim.claimFor(), claim.limit(), null)),
          "OutboxClaim.a_claim_of_named_messages_is_never_widened_to_others"),
      that(
          "counts a message for each time a claim names it",
          real -> new Claiming(
              real,
              claim -> with(
                  claim,
                  claim.claimFor(),
                  claim.limit(),
                  claim.outboxMessageIds() == null
                      ? null
                      : claim.outboxMessageIds().stream().limit(claim.limit()).toList())),
          "OutboxClaim.a_message_that_is_named_twice_is_claimed_once_and_takes_one_place_of_the_limit"),
      that(
          "cannot mark a message that is named twice",
          real -> new Failing(real, marks -> marks.stream()
              .map(mark -> Collections.frequency(ids(marks), mark.outboxMessageId()) > 1
                  ? marked(mark, "tok_lost")
                  : mark)
              .toList()),
          "OutboxMark.a_message_that_is_named_twice_is_marked_once_as_its_first_mark_says"),
      that(
          "counts a message as failed that nobody tried to publish",
          real -> new Failing(real, marks -> marks.stream()
              .map(mark -> marked(mark, mark.claimToken()))
              .toList()),
          "OutboxMark.a_message_that_nobody_tried_to_publish_returns_and_counts_as_failed_once_at_most"),
      that(
          "marks a message as its last mark says",
          real -> new Failing(real, marks -> {
            List<MarkOutboxMessagesFailed.Failed> reversed = new ArrayList<>(marks);
            Collections.reverse(reversed);
            return reversed;
          }),
          "OutboxMark.a_message_that_is_named_twice_is_marked_once_as_its_first_mark_says"),
      that(
          "looks at the first token of a message only",
          real -> new Failing(real, marks -> marks.stream()
              .map(mark -> marked(
                  mark, marks.get(ids(marks).indexOf(mark.outboxMessageId())).claimToken()))
              .toList()),
          "OutboxMark.a_message_that_is_named_twice_with_one_stale_token_is_not_marked"),
      that(
          "lets claims of messages last for ever",
          real -> new Claiming(
              real, claim -> with(claim, A_CENTURY, claim.limit(), claim.outboxMessageIds())),
          "OutboxClaim.a_claimed_message_is_claimed_again_only_once_its_claim_has_expired"),
      that(
          "ignores the limit of a claim of messages",
          real -> new Claiming(
              real, claim -> with(claim, claim.claimFor(), 1_000, claim.outboxMessageIds())),
          "OutboxClaim.due_messages_are_claimed_oldest_first"),
      that(
          "claims messages that are not due",
          real -> new Claiming(
              real,
              claim -> new ClaimOutboxMessages(
                  claim.environment(),
                  claim.now().plus(A_CENTURY),
                  claim.claimFor(),
                  claim.limit(),
                  claim.outboxMessageIds())),
          "OutboxClaim.messages_that_are_not_due_yet_are_left"),
      that(
          "claims the newest messages first",
          NewestFirst::new,
          "OutboxClaim.due_messages_are_claimed_oldest_first"),
      that(
          "forgets the group of a message whose run has ended",
          Ungrouped::new,
          "OutboxClaim.a_message_names_its_group_also_once_its_run_has_ended"),
      that(
          "loses the trace of a run whose delivery request has none",
          Untraced::new,
          "OutboxClaim.a_message_whose_request_has_no_trace_carries_that_of_its_run"),
      that(
          "orders claimed messages by when they were available first",
          ByAvailability::new,
          "OutboxClaim.an_expired_claim_is_due_from_its_end_on_and_takes_its_place_among_the_pending"),
      that(
          "lets any token mark a message",
          AnyToken::new,
          "OutboxMark.a_token_is_worth_nothing_once_somebody_else_has_claimed"),
      that(
          "marks the good messages of a batch with a stale one",
          PartialMark::new,
          "OutboxMark.a_batch_with_one_stale_claim_changes_nothing"),
      that(
          "returns published messages",
          Republishing::new,
          "OutboxMark.a_published_message_never_returns"),
      that(
          "returns dead-lettered messages",
          Resurrecting::new,
          "OutboxMark.a_dead_lettered_message_is_never_claimed_again"),
      that(
          "returns failed messages before they are available",
          Hasty::new,
          "OutboxMark.a_failed_message_returns_when_it_is_available_again_and_counts_its_failures"),
      that(
          "loses failed messages",
          Losing::new,
          "OutboxMark.a_failed_message_returns_when_it_is_available_again_and_counts_its_failures"));

  private BrokenOutbox() {}

  private static ClaimOutboxMessages with(
      ClaimOutboxMessages claim, Duration claimFor, int limit, List<String> ids) {
    return new ClaimOutboxMessages(claim.environment(), claim.now(), claimFor, limit, ids);
  }

  private static final class Claiming extends ForwardingStorage {
    private final UnaryOperator<ClaimOutboxMessages> rewriting;

    Claiming(StorageAdapter real, UnaryOperator<ClaimOutboxMessages> rewriting) {
      super(real);
      this.rewriting = rewriting;
    }

    @Override
    public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
      return real.claimOutboxMessages(rewriting.apply(command));
    }
  }

  private static final class NewestFirst extends ForwardingStorage {
    NewestFirst(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
      return real.claimOutboxMessages(command).map(found -> {
        List<ClaimedOutboxMessage> reversed = new ArrayList<>(found);
        Collections.reverse(reversed);
        return reversed;
      });
    }
  }

  /** Replaces the token of a mark by the one the message was claimed with last. */
  private static final class AnyToken extends ForwardingStorage {
    private final Map<String, String> tokens = new ConcurrentHashMap<>();

    AnyToken(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
      return real.claimOutboxMessages(command)
          .onSuccess(found -> found.forEach(each -> tokens.put(each.id(), each.claimToken())));
    }

    @Override
    public Future<Void> markOutboxMessagesPublished(MarkOutboxMessagesPublished command) {
      return real.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
          command.environment(),
          command.messages().stream()
              .map(each -> new MarkOutboxMessagesPublished.Published(
                  each.outboxMessageId(),
                  tokens.getOrDefault(each.outboxMessageId(), each.claimToken()),
                  each.providerMessageId()))
              .toList(),
          command.now()));
    }
  }

  private static final class PartialMark extends ForwardingStorage {
    PartialMark(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> markOutboxMessagesPublished(MarkOutboxMessagesPublished command) {
      return Future.join(command.messages().stream()
              .map(each -> real.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
                  command.environment(), List.of(each), command.now())))
              .toList())
          .mapEmpty();
    }
  }

  private static final class Republishing extends ForwardingStorage {
    Republishing(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> markOutboxMessagesPublished(MarkOutboxMessagesPublished command) {
      return real.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
          command.environment(),
          command.messages().stream()
              .map(each -> new MarkOutboxMessagesFailed.Failed(
                  each.outboxMessageId(), each.claimToken(), ANY, null))
              .toList(),
          command.now()));
    }
  }

  private static final class Resurrecting extends ForwardingStorage {
    Resurrecting(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> markOutboxMessagesDeadLettered(MarkOutboxMessagesDeadLettered command) {
      return real.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
          command.environment(),
          command.messages().stream()
              .map(each -> new MarkOutboxMessagesFailed.Failed(
                  each.outboxMessageId(), each.claimToken(), each.failure(), null))
              .toList(),
          command.now()));
    }
  }

  private static final class Hasty extends ForwardingStorage {
    Hasty(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command) {
      return real.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
          command.environment(),
          command.messages().stream()
              .map(each -> new MarkOutboxMessagesFailed.Failed(
                  each.outboxMessageId(), each.claimToken(), each.failure(), null))
              .toList(),
          command.now()));
    }
  }

  private static final class Losing extends ForwardingStorage {
    Losing(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command) {
      return real.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
          command.environment(),
          command.messages().stream()
              .map(each -> new MarkOutboxMessagesPublished.Published(
                  each.outboxMessageId(), each.claimToken(), null))
              .toList(),
          command.now()));
    }
  }

  private static List<String> ids(List<MarkOutboxMessagesFailed.Failed> marks) {
    return marks.stream().map(MarkOutboxMessagesFailed.Failed::outboxMessageId).toList();
  }

  private static MarkOutboxMessagesFailed.Failed marked(
      MarkOutboxMessagesFailed.Failed mark, String token) {
    return new MarkOutboxMessagesFailed.Failed(
        mark.outboxMessageId(), token, mark.failure(), mark.nextAvailableAt());
  }

  /** Makes other marks of those it was given. */
  private static final class Failing extends ForwardingStorage {
    private final UnaryOperator<List<MarkOutboxMessagesFailed.Failed>> breaking;

    Failing(StorageAdapter real, UnaryOperator<List<MarkOutboxMessagesFailed.Failed>> breaking) {
      super(real);
      this.breaking = breaking;
    }

    @Override
    public Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command) {
      return real.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
          command.environment(), breaking.apply(command.messages()), command.now()));
    }
  }

  private static final class Ungrouped extends ForwardingStorage {
    Ungrouped(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
      return real.claimOutboxMessages(command).compose(claimed -> real.getRuns(new GetRuns(
              command.environment(),
              claimed.stream().map(each -> each.message().runId()).toList()))
          .map(runs -> {
            Set<String> ended = runs.stream()
                .filter(run -> run.status().isTerminal())
                .map(RunRecord::id)
                .collect(Collectors.toSet());
            return claimed.stream()
                .map(each -> ended.contains(each.message().runId())
                    ? with(each, each.message(), null)
                    : each)
                .toList();
          }));
    }
  }

  private static final class Untraced extends ForwardingStorage {
    Untraced(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
      return real.claimOutboxMessages(command).map(claimed -> claimed.stream()
          .map(each -> with(
              each,
              new DeliveryMessage(
                  each.message().environment(),
                  each.message().runId(),
                  each.message().queue(),
                  each.message().requestedAt(),
                  null),
              each.groupKey()))
          .toList());
    }
  }

  private static final class ByAvailability extends ForwardingStorage {
    ByAvailability(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
      return real.claimOutboxMessages(with(command, command.claimFor(), 1_000, null))
          .map(claimed -> claimed.stream()
              .sorted(Comparator.comparing(ClaimedOutboxMessage::availableAt))
              .limit(command.limit())
              .toList());
    }
  }

  private static ClaimedOutboxMessage with(
      ClaimedOutboxMessage claimed, DeliveryMessage message, String groupKey) {
    return new ClaimedOutboxMessage(
        claimed.id(),
        claimed.claimToken(),
        claimed.claimExpiresAt(),
        claimed.availableAt(),
        claimed.failedPublishes(),
        message,
        groupKey);
  }
}
