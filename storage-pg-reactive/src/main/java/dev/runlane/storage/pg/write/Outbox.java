package dev.runlane.storage.pg.write;

import static dev.runlane.run.StorageConflictKind.OUTBOX_CLAIM;

import dev.runlane.postgres.BatchStatement;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.pg.row.RunRows;
import dev.runlane.storage.pg.row.UnreadableRows;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims and marks outbox messages. Calls that mark messages as published share statements. */
public final class Outbox implements BatchStatement<MarkOutboxMessagesPublished, Boolean> {
  private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

  /** When a message is due that was given up. */
  public static final Instant NEVER = Instant.parse("9999-12-31T00:00:00Z");

  private static final Parameters<Claim> OF_CLAIM = new Parameters<Claim>()
      .value("token", Claim::token)
      .time("now", claim -> claim.command().now())
      .time("expires_at", claim -> claim.command().now().plus(claim.command().claimFor()))
      .value("limit", claim -> claim.command().limit());
  private static final SqlStatement<PgSession.Scoped<Claim>> CLAIM =
      PgSession.statement("claim_outbox_messages", OF_CLAIM);
  private static final SqlStatement<PgSession.Scoped<Claim>> CLAIM_NAMED = PgSession.statement(
      "claim_named_outbox_messages", OF_CLAIM.texts("message_ids", Claim::messageIds));
  private static final SqlStatement<PgSession.Scoped<List<Numbered>>> MARK_PUBLISHED =
      PgSession.statement(
          "mark_published",
          new Parameters<List<Numbered>>()
              .rows(
                  messages -> messages,
                  new Columns<Numbered>()
                      .integers("calls", Numbered::call)
                      .texts("message_ids", each -> each.message().outboxMessageId())
                      .texts("tokens", each -> each.message().claimToken())));
  private static final SqlStatement<PgSession.Scoped<List<Mark>>> MARK_FAILED = PgSession.statement(
      "mark_failed",
      new Parameters<List<Mark>>()
          .rows(
              marks -> marks,
              new Columns<Mark>()
                  .texts("message_ids", Mark::id)
                  .texts("tokens", Mark::token)
                  .texts("statuses", mark -> mark.status().value())
                  .times("next_times", Mark::nextAt)
                  .texts("failure_records", mark -> RunRows.failureText(mark.failure()))
                  .flags("counted", Mark::counted)));

  public static final List<SqlStatement<?>> STATEMENTS =
      List.of(CLAIM, CLAIM_NAMED, MARK_PUBLISHED, MARK_FAILED);

  private final PgSession session;
  private final PgSession.Scope scope;
  private final UnreadableRows unreadable = new UnreadableRows(LOG, "reading a claimed wakeup");

  Outbox(PgSession session, PgSession.Scope scope) {
    this.session = session;
    this.scope = scope;
  }

  public Future<List<ClaimedOutboxMessage>> claim(ClaimOutboxMessages command) {
    String token = session.ids().token();
    return session
        .execute(
            command.outboxMessageIds() == null ? CLAIM : CLAIM_NAMED,
            scope,
            new Claim(command, token))
        .map(rows -> unreadable.leftOut(
            rows,
            row -> claimed(row, token),
            row -> "wakeup %s of run %s waits for the end of its claim"
                .formatted(row.getString(0), row.getString(1))))
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
    List<Numbered> messages = new ArrayList<>();
    for (int call = 0; call < calls.size(); call++) {
      for (MarkOutboxMessagesPublished.Published message : calls.get(call).messages()) {
        messages.add(new Numbered(call, message));
      }
    }
    return session.execute(MARK_PUBLISHED, scope, messages).map(rows -> {
      Set<Integer> refused = new HashSet<>();
      rows.forEach(row -> refused.add(row.getInteger(0)));
      return IntStream.range(0, calls.size())
          .mapToObj(call -> refused.contains(call)
              ? new CommandOutcome.Failed<Boolean>(staleClaim())
              : (CommandOutcome<Boolean>) new CommandOutcome.Succeeded<>(true))
          .toList();
    });
  }

  public Future<Void> markFailed(MarkOutboxMessagesFailed command) {
    return mark(
        "markOutboxMessagesFailed",
        command.messages().stream()
            .map(each -> new Mark(
                each.outboxMessageId(),
                each.claimToken(),
                OutboxMessageStatus.FAILED,
                each.nextAvailableAt() == null ? command.now() : each.nextAvailableAt(),
                each.failure(),
                each.counted()))
            .toList());
  }

  public Future<Void> markDeadLettered(MarkOutboxMessagesDeadLettered command) {
    return mark(
        "markOutboxMessagesDeadLettered",
        command.messages().stream()
            .map(each -> new Mark(
                each.outboxMessageId(),
                each.claimToken(),
                OutboxMessageStatus.DEAD_LETTERED,
                NEVER,
                each.failure(),
                true))
            .toList());
  }

  private Future<Void> mark(String operation, List<Mark> marks) {
    if (marks.isEmpty()) {
      return Future.succeededFuture();
    }
    return session
        .execute(MARK_FAILED, scope, firstOfEach(marks))
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

  private record Claim(ClaimOutboxMessages command, String token) {
    @Nullable
    Set<String> messageIds() {
      return command.outboxMessageIds() == null
          ? null
          : new LinkedHashSet<>(command.outboxMessageIds());
    }
  }

  private record Numbered(int call, MarkOutboxMessagesPublished.Published message) {}

  private record Mark(
      String id,
      String token,
      OutboxMessageStatus status,
      Instant nextAt,
      @Nullable FailureRecord failure,
      boolean counted) {}
}
