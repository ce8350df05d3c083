package dev.runlane.storage.pg;

import static dev.runlane.run.StorageConflictKind.OUTBOX_CLAIM;

import dev.runlane.postgres.GatheredStatement;
import dev.runlane.postgres.PgFailures;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.ClaimOutboxMessages;
import dev.runlane.storage.ClaimedOutboxMessage;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.MarkOutboxMessagesFailed;
import dev.runlane.storage.MarkOutboxMessagesPublished;
import dev.runlane.storage.OutboxMessageStatus;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Claims and marks outbox messages. Calls that mark messages as published share statements. */
final class Outbox implements GatheredStatement<MarkOutboxMessagesPublished, Boolean> {
  private static final Instant NEVER = Instant.parse("9999-12-31T00:00:00Z");

  private final PgSession session;
  private final PgSession.Scope scope;
  private final String claim;
  private final String claimNamed;
  private final String markPublished;
  private final String markFailed;

  Outbox(PgSession session, PgSession.Scope scope) {
    this.session = session;
    this.scope = scope;
    this.claim = session.statements().get("claim_outbox_messages");
    this.claimNamed = session.statements().get("claim_named_outbox_messages");
    this.markPublished = session.statements().get("mark_published");
    this.markFailed = session.statements().get("mark_failed");
  }

  Future<List<ClaimedOutboxMessage>> claim(ClaimOutboxMessages command) {
    String token = session.ids().token();
    Tuple parameters = Tuple.of(
        scope.env(),
        token,
        Columns.utc(command.now()),
        Columns.utc(command.now().plus(command.claimFor())),
        command.limit());
    if (command.outboxMessageIds() != null) {
      parameters.addArrayOfString(
          command.outboxMessageIds().stream().distinct().toArray(String[]::new));
    }
    return session
        .execute(command.outboxMessageIds() == null ? claim : claimNamed, parameters)
        .map(rows -> Lists.mapped(rows, row -> claimed(row, token)))
        .recover(PgFailures.during("claimOutboxMessages"));
  }

  private ClaimedOutboxMessage claimed(RowReader row, String token) {
    String id = row.text();
    String runId = row.text();
    String queue = row.text();
    Instant requestedAt = row.time();
    Instant availableAt = row.time();
    Instant claimExpiresAt = row.time();
    int failedPublishes = row.count();
    DeliveryMessage message = new DeliveryMessage(
        scope.environment(), runId, queue, requestedAt, RunRows.trace(row.jsonOrNull()));
    return new ClaimedOutboxMessage(
        id, token, claimExpiresAt, availableAt, failedPublishes, message, row.textOrNull());
  }

  @Override
  public List<String> keys(MarkOutboxMessagesPublished command) {
    return command.messages().stream()
        .map(MarkOutboxMessagesPublished.Published::outboxMessageId)
        .toList();
  }

  /** Outcome true: the call's messages are gone; a refused call is a failed outcome. */
  @Override
  public Future<List<CommandOutcome<Boolean>>> execute(List<MarkOutboxMessagesPublished> calls) {
    List<Integer> numbers = new ArrayList<>();
    List<MarkOutboxMessagesPublished.Published> messages = new ArrayList<>();
    for (int call = 0; call < calls.size(); call++) {
      for (MarkOutboxMessagesPublished.Published message : calls.get(call).messages()) {
        numbers.add(call);
        messages.add(message);
      }
    }
    Tuple parameters = Tuple.tuple().addInteger(scope.env());
    new Columns<>(numbers, parameters).counts(Integer::intValue);
    new Columns<>(messages, parameters)
        .texts(MarkOutboxMessagesPublished.Published::outboxMessageId)
        .texts(MarkOutboxMessagesPublished.Published::claimToken);
    return session.execute(markPublished, parameters).map(rows -> {
      Set<Integer> refused = new HashSet<>();
      rows.forEach(row -> refused.add(row.getInteger(0)));
      return IntStream.range(0, calls.size())
          .mapToObj(call -> refused.contains(call)
              ? new CommandOutcome.Failed<Boolean>(staleClaim())
              : (CommandOutcome<Boolean>) new CommandOutcome.Succeeded<>(true))
          .toList();
    });
  }

  Future<Void> markFailed(MarkOutboxMessagesFailed command) {
    return mark(
        "markOutboxMessagesFailed",
        command.messages().stream()
            .map(each -> new Mark(
                each.outboxMessageId(),
                each.claimToken(),
                OutboxMessageStatus.FAILED,
                each.nextAvailableAt() == null ? command.now() : each.nextAvailableAt(),
                each.failure()))
            .toList());
  }

  Future<Void> markDeadLettered(MarkOutboxMessagesDeadLettered command) {
    return mark(
        "markOutboxMessagesDeadLettered",
        command.messages().stream()
            .map(each -> new Mark(
                each.outboxMessageId(),
                each.claimToken(),
                OutboxMessageStatus.DEAD_LETTERED,
                NEVER,
                each.failure()))
            .toList());
  }

  private Future<Void> mark(String operation, List<Mark> marks) {
    if (marks.isEmpty()) {
      return Future.succeededFuture();
    }
    Tuple parameters = Tuple.tuple().addInteger(scope.env());
    new Columns<>(firstOfEach(marks), parameters)
        .texts(Mark::id)
        .texts(Mark::token)
        .texts(mark -> mark.status().value())
        .times(Mark::nextAt)
        .texts(mark -> RunRows.failureText(mark.failure()));
    return session
        .execute(markFailed, parameters)
        .compose(refused -> refused.size() == 0
            ? Future.<Void>succeededFuture()
            : Future.failedFuture(staleClaim()))
        .recover(PgFailures.during(operation));
  }

  /** One mark for each message and token, as the statement can change a row only once. */
  private static List<Mark> firstOfEach(List<Mark> marks) {
    Map<List<String>, Mark> firsts = new LinkedHashMap<>();
    marks.forEach(mark -> firsts.putIfAbsent(List.of(mark.id(), mark.token()), mark));
    return List.copyOf(firsts.values());
  }

  private static RunlaneException staleClaim() {
    return RunlaneException.conflict(
        OUTBOX_CLAIM, "an outbox message of the call is not claimed with the token given");
  }

  private record Mark(
      String id,
      String token,
      OutboxMessageStatus status,
      Instant nextAt,
      @Nullable FailureRecord failure) {}
}
