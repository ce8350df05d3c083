package dev.runlane.storage.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.Columns;
import dev.runlane.postgres.Parameters;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.SqlStatement;
import dev.runlane.run.QueuePolicy;
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
import java.util.stream.Stream;

/** What processes publish of their queues. */
final class PgQueueLimits implements QueueLimitStorage {
  private static final int NO_LIMIT = 0;

  private static final SqlStatement<PgSession.Scoped<PublishQueues>> PUBLISH = PgSession.statement(
      "publish_queues",
      new Parameters<PublishQueues>()
          .value("process_id", PublishQueues::processId)
          .rows(
              PublishQueues::queues,
              new Columns<QueuePolicy>()
                  .texts("queues", QueuePolicy::queue)
                  .integers("queue_limits", PgQueueLimits::limit))
          .time("expires_at", PgQueueLimits::expiresAt)
          .time("kept_from", each -> each.now().minus(KEPT_AFTER_EXPIRY))
          .time("now", PublishQueues::now));
  private static final SqlStatement<PgSession.Scoped<ListPublishedQueues>> LIST =
      PgSession.statement(
          "published_queues",
          new Parameters<ListPublishedQueues>().time("now", ListPublishedQueues::now));

  static final List<SqlStatement<?>> STATEMENTS = List.of(PUBLISH, LIST);

  private final PgParts parts;
  private final PgSession session;

  PgQueueLimits(PgParts parts) {
    this.parts = parts;
    this.session = parts.session();
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
      return parts
          .in(command.environment(), scope -> session.execute(PUBLISH, scope, command))
          .map(rows -> Stream.concat(
                  own.stream(), Lists.mapped(rows, PgQueueLimits::published).stream())
              .toList())
          .recover(PgFailures.during("publishQueues"));
    });
  }

  @Override
  public Future<List<PublishedQueue>> listPublishedQueues(ListPublishedQueues query) {
    return AdapterCall.of("listPublishedQueues", () -> {
      CommandChecks.check(query);
      return parts
          .in(query.environment(), scope -> session.execute(LIST, scope, query))
          .map(rows -> Lists.mapped(rows, PgQueueLimits::published))
          .recover(PgFailures.during("listPublishedQueues"));
    });
  }

  private static Instant expiresAt(PublishQueues command) {
    return command.now().plus(command.validFor());
  }

  private static Integer limit(QueuePolicy policy) {
    return policy.concurrencyLimit() == null ? NO_LIMIT : policy.concurrencyLimit();
  }

  private static PublishedQueue published(RowReader row) {
    String processId = row.text();
    String queue = row.text();
    int limit = row.count();
    return new PublishedQueue(processId, queue, limit == NO_LIMIT ? null : limit, row.time());
  }
}
