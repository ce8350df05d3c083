package dev.runlane.conformance.model;

import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about outbox messages. */
public final class ModelOutbox {
  private final StorageModel model;
  private final Names names;
  private final ModelPages pages;

  public ModelOutbox(StorageModel model, Names names) {
    this.model = model;
    this.names = names;
    this.pages = new ModelPages(names);
  }

  /**
   * Those due longest come first; where they are due equally long ids decide, and ids are the storage's, so that only
   * its answer tells the order of those that nobody has seen yet.
   */
  public List<ClaimedOutboxMessage> claim(
      ClaimOutboxMessages command, @Nullable List<ClaimedOutboxMessage> answer) {
    CommandChecks.check(command);
    List<ModelMessage> due = model
        .runs(command.environment())
        .flatMap(run -> run.messages.stream()
            .filter(
                message -> answer == null || !model.isHeldByOthers(run) || isIn(answer, message)))
        .filter(message -> message.isDueAt(command.now()))
        .filter(message ->
            command.outboxMessageIds() == null || command.outboxMessageIds().contains(message.id))
        .sorted(Comparator.comparing(ModelMessage::dueAt)
            .thenComparing(
                message -> idOf(message, answer == null ? List.of() : answer),
                Comparator.nullsLast(Identifiers.ORDER)))
        .limit(command.limit())
        .toList();
    Instant end = command.now().plus(command.claimFor());
    return due.stream().map(message -> message.claim(names.make("token"), end)).toList();
  }

  /** What the storage calls a message, as far as it has shown it; a message is known by its run and its request. */
  private @Nullable String idOf(ModelMessage message, List<ClaimedOutboxMessage> answer) {
    return names
        .inStorage(message.id)
        .or(() -> answer.stream()
            .filter(each -> isOf(message, each))
            .map(ClaimedOutboxMessage::id)
            .findFirst())
        .orElse(null);
  }

  private static boolean isIn(List<ClaimedOutboxMessage> answer, ModelMessage message) {
    return answer.stream().anyMatch(each -> isOf(message, each));
  }

  private static boolean isOf(ModelMessage message, ClaimedOutboxMessage claimed) {
    return claimed.message().runId().equals(message.wakeup.runId())
        && claimed.message().requestedAt().equals(message.wakeup.requestedAt());
  }

  public @Nullable Void published(MarkOutboxMessagesPublished command) {
    CommandChecks.check(command);
    return mark(
        command.environment(),
        command.messages(),
        MarkOutboxMessagesPublished.Published::outboxMessageId,
        MarkOutboxMessagesPublished.Published::claimToken,
        (mark, message) -> message.settle(OutboxMessageStatus.PUBLISHED));
  }

  public @Nullable Void failed(MarkOutboxMessagesFailed command) {
    CommandChecks.check(command);
    return mark(
        command.environment(),
        command.messages(),
        MarkOutboxMessagesFailed.Failed::outboxMessageId,
        MarkOutboxMessagesFailed.Failed::claimToken,
        (mark, message) -> {
          if (mark.counted()) {
            message.fail(OutboxMessageStatus.FAILED, mark.failure());
          } else {
            message.postpone(mark.failure());
          }
          message.availableAt = Objects.requireNonNullElse(mark.nextAvailableAt(), command.now());
        });
  }

  public @Nullable Void deadLettered(MarkOutboxMessagesDeadLettered command) {
    CommandChecks.check(command);
    return mark(
        command.environment(),
        command.messages(),
        MarkOutboxMessagesDeadLettered.DeadLettered::outboxMessageId,
        MarkOutboxMessagesDeadLettered.DeadLettered::claimToken,
        (mark, message) -> message.fail(OutboxMessageStatus.DEAD_LETTERED, mark.failure()));
  }

  /** All or none; a message named twice is marked once, as its first mark says. */
  private <M> @Nullable Void mark(
      Environment environment,
      List<M> marks,
      Function<M, String> id,
      Function<M, String> token,
      BiConsumer<M, ModelMessage> change) {
    for (M mark : marks) {
      if (find(environment, id.apply(mark), token.apply(mark)).isEmpty()) {
        throw RunlaneException.conflict(StorageConflictKind.OUTBOX_CLAIM, "says the model");
      }
    }
    for (M mark : marks) {
      find(environment, id.apply(mark), token.apply(mark))
          .ifPresent(message -> change.accept(mark, message));
    }
    return null;
  }

  private Optional<ModelMessage> find(Environment environment, String id, String token) {
    return all(environment)
        .filter(message -> message.id.equals(id)
            && message.claimToken != null
            && names.areOne(message.claimToken, token))
        .findFirst();
  }

  /** Published messages need not be kept, and when a dead-lettered one was available has no meaning. */
  public List<OutboxMessageState> look(
      LookAtOutbox look, @Nullable List<OutboxMessageState> answer) {
    CommandChecks.check(look.query());
    List<String> kept =
        answer == null ? List.of() : answer.stream().map(OutboxMessageState::id).toList();
    return model.find(look.query().environment(), look.query().runId()).stream()
        .flatMap(run -> run.messages.stream())
        .filter(message -> message.status != OutboxMessageStatus.PUBLISHED
            || names.inStorage(message.id).filter(kept::contains).isPresent())
        .map(message -> state(message, answer == null ? List.of() : answer))
        .toList();
  }

  private OutboxMessageState state(ModelMessage message, List<OutboxMessageState> answer) {
    OutboxMessageState state = message.state();
    Instant shown = answer.stream()
        .filter(each -> state.status() == OutboxMessageStatus.DEAD_LETTERED
            && names.inStorage(message.id).filter(each.id()::equals).isPresent())
        .map(OutboxMessageState::availableAt)
        .findFirst()
        .orElse(state.availableAt());
    return new OutboxMessageState(
        state.id(),
        state.status(),
        shown,
        state.claimExpiresAt(),
        state.failedPublishes(),
        state.failure());
  }

  /** A page of those whose ids are known, which are all but new ones. */
  public Page<OutboxEntry> list(ListOutbox query, @Nullable Page<OutboxEntry> answer) {
    OperatorChecks.check(query);
    Page<OutboxEntry> page = pages.page(
        List.of(query.environment(), query.status()),
        all(query.environment())
            .filter(message -> message.status == query.status())
            .map(message -> entry(message, message.id)),
        Comparator.comparing(this::idOf, Identifiers.ORDER),
        query.limit(),
        query.cursor());
    return query.status() == OutboxMessageStatus.DEAD_LETTERED && answer != null
        ? new Page<>(
            page.data().stream().map(each -> asTold(each, answer.data())).toList(),
            page.nextCursor())
        : page;
  }

  /** When a dead-lettered one was available has no meaning. */
  private OutboxEntry asTold(OutboxEntry entry, List<OutboxEntry> told) {
    return told.stream()
        .filter(each -> each.id().equals(idOf(entry)))
        .findFirst()
        .map(each -> new OutboxEntry(
            entry.id(),
            entry.runId(),
            entry.queue(),
            entry.status(),
            each.availableAt(),
            entry.claimExpiresAt(),
            entry.failedPublishes(),
            entry.failure()))
        .orElse(entry);
  }

  private String idOf(OutboxEntry entry) {
    return names.inStorage(entry.id()).orElse("");
  }

  /** All new ones, in the order of what they say of themselves. */
  public LookAtPending.Answer pending(LookAtPending query) {
    OperatorChecks.check(query.list());
    return new LookAtPending.Answer(
        inOrder(all(query.environment())
            .filter(message -> message.status == OutboxMessageStatus.PENDING)
            .map(message -> entry(message, ""))),
        true);
  }

  /** Entries without their ids, as the model and a storage tell them alike. */
  public static List<OutboxEntry> inOrder(Stream<OutboxEntry> entries) {
    return entries
        .map(each -> new OutboxEntry(
            "",
            each.runId(),
            each.queue(),
            each.status(),
            each.availableAt(),
            each.claimExpiresAt(),
            each.failedPublishes(),
            each.failure()))
        .sorted(Comparator.comparing(OutboxEntry::runId)
            .thenComparing(OutboxEntry::availableAt)
            .thenComparing(OutboxEntry::toString))
        .toList();
  }

  private OutboxEntry entry(ModelMessage message, String id) {
    return new OutboxEntry(
        id,
        message.wakeup.runId(),
        message.wakeup.queue(),
        message.status,
        message.availableAt,
        message.claimExpiresAt,
        message.failedPublishes,
        message.failure);
  }

  /** Those that were given up, or failed and are named, by their ids; as new ones, due at once. */
  public List<String> redrive(RedriveOutbox command) {
    OperatorChecks.check(command);
    List<String> named = command.messageIds();
    List<ModelMessage> found = all(command.environment())
        .filter(message -> message.status == OutboxMessageStatus.DEAD_LETTERED
            || (named != null && message.status == OutboxMessageStatus.FAILED))
        .filter(message -> named == null || named.contains(message.id))
        .sorted(Comparator.comparing(
            message -> names.inStorage(message.id).orElse(""), Identifiers.ORDER))
        .limit(command.limit())
        .toList();
    found.forEach(message -> message.redrive(command.now()));
    return found.stream().map(message -> message.id).toList();
  }

  public Stream<ModelMessage> all(Environment environment) {
    return model.runs(environment).flatMap(run -> run.messages.stream());
  }
}
