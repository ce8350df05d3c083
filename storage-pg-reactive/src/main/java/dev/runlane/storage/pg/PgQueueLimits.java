package dev.runlane.storage.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.ContentionRetry;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What processes publish of their queues. */
final class PgQueueLimits implements QueueLimitStorage {
  private static final int NO_LIMIT = 0;

  private static final Parameters<PublishQueues> PUBLISHED = new Parameters<PublishQueues>()
      .value("process_id", PublishQueues::processId)
      .rows(
          PublishQueues::queues,
          new Columns<QueuePolicy>()
              .texts("queues", QueuePolicy::queue)
              .integers("queue_limits", PgQueueLimits::limit))
      .time("expires_at", PgQueueLimits::expiresAt)
      .time("kept_from", each -> each.now().minus(KEPT_AFTER_EXPIRY))
      .time("now", PublishQueues::now);
  private static final SqlStatement<PgSession.Scoped<PublishQueues>> PUBLISH =
      PgSession.statement("publish_queues", PUBLISHED);
  private static final SqlStatement<PgSession.Scoped<PublishQueues>> COMPARE =
      PgSession.statement("publish_and_compare", PUBLISHED);
  private static final SqlStatement<PgSession.Scoped<ListPublishedQueues>> LIST =
      PgSession.statement(
          "published_queues",
          new Parameters<ListPublishedQueues>()
              .time("now", ListPublishedQueues::now)
              .texts("queues", query -> query.queues().isEmpty() ? null : query.queues()));

  static final List<SqlStatement<?>> STATEMENTS = List.of(PUBLISH, COMPARE, LIST);

  private final PgParts parts;
  private final PgSession session;
  private final ContentionRetry contended;

  PgQueueLimits(PgParts parts) {
    this.parts = parts;
    this.session = parts.session();
    this.contended = new ContentionRetry(
        parts.timers(),
        failure -> failure instanceof RunlaneException || PgFailures.mayBeSentAgain(failure));
  }

  @Override
  public Future<List<PublishedQueue>> publishQueues(PublishQueues command) {
    return AdapterCall.of("publishQueues", () -> {
      CommandChecks.check(command);
      Instant expiresAt = expiresAt(command);
      List<PublishedQueue> own = command.queues().stream()
          .map(policy -> new PublishedQueue(
              command.processId(), policy.queue(), policy.concurrencyLimit(), expiresAt))
          .toList();
      return publish(PUBLISH, command)
          .map(others -> Stream.concat(own.stream(), others.stream()).toList())
          .recover(PgFailures.during("publishQueues"));
    });
  }

  @Override
  public Future<List<PublishedQueue>> publishAndCompare(PublishQueues command) {
    return AdapterCall.of("publishAndCompare", () -> {
      CommandChecks.check(command);
      return publish(COMPARE, command).recover(PgFailures.during("publishAndCompare"));
    });
  }

  @Override
  public Future<List<PublishedQueue>> listPublishedQueues(ListPublishedQueues query) {
    return AdapterCall.of("listPublishedQueues", () -> {
      CommandChecks.check(query);
      return parts
          .alone(query.environment(), scope -> session.execute(LIST, scope, query))
          .map(rows -> Lists.mapped(rows, PgQueueLimits::published))
          .recover(PgFailures.during("listPublishedQueues"));
    });
  }

  private Future<List<PublishedQueue>> publish(
      SqlStatement<PgSession.Scoped<PublishQueues>> statement, PublishQueues command) {
    return parts
        .in(command.environment(), scope -> contended.run(() -> publish(statement, scope, command)))
        .onFailure(failure -> parts.forget()); // its environment may have no row any more
  }

  /** What the other processes say; no row at all tells that another publication came between. */
  private Future<List<PublishedQueue>> publish(
      SqlStatement<PgSession.Scoped<PublishQueues>> statement,
      PgSession.Scope scope,
      PublishQueues command) {
    return session
        .execute(statement, scope, command)
        .compose(rows -> rows.size() == 0
            ? Future.failedFuture(RunlaneException.unavailable(
                ErrorCode.STORAGE_UNAVAILABLE,
                null,
                "other processes of environment %s published their queues first",
                scope.environment().name()))
            : Future.succeededFuture(Lists.mapped(rows, PgQueueLimits::publishedByOther).stream()
                .flatMap(Optional::stream)
                .toList()));
  }

  private static Instant expiresAt(PublishQueues command) {
    return command.now().plus(command.validFor());
  }

  private static Integer limit(QueuePolicy policy) {
    return policy.concurrencyLimit() == null ? NO_LIMIT : policy.concurrencyLimit();
  }

  private static Optional<PublishedQueue> publishedByOther(RowReader row) {
    return Optional.ofNullable(row.textOrNull()).map(processId -> published(processId, row));
  }

  private static PublishedQueue published(RowReader row) {
    return published(row.text(), row);
  }

  private static PublishedQueue published(String processId, RowReader row) {
    String queue = row.text();
    int limit = row.count();
    return new PublishedQueue(processId, queue, limit == NO_LIMIT ? null : limit, row.time());
  }
}
