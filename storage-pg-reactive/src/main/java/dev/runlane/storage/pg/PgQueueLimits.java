package dev.runlane.storage.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.PgFailures;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.ListPublishedQueues;
import dev.runlane.storage.PublishQueues;
import dev.runlane.storage.PublishedQueue;
import dev.runlane.storage.QueueLimitStorage;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** What processes publish of their queues. */
final class PgQueueLimits implements QueueLimitStorage {
  private static final int NO_LIMIT = 0;

  private final PgParts parts;
  private final PgSession session;
  private final String publish;
  private final String list;

  PgQueueLimits(PgParts parts) {
    this.parts = parts;
    this.session = parts.session();
    this.publish = session.statements().get("publish_queues");
    this.list = session.statements().get("published_queues");
  }

  @Override
  public Future<List<PublishedQueue>> publishQueues(PublishQueues command) {
    return AdapterCall.of("publishQueues", () -> {
      CommandChecks.check(command);
      Instant expiresAt = command.now().plus(command.validFor());
      List<PublishedQueue> own = command.queues().stream()
          .map(policy -> new PublishedQueue(
              command.processId(), policy.queue(), policy.concurrencyLimit(), expiresAt))
          .toList();
      return parts
          .in(
              command.environment(),
              scope -> session.execute(publish, parameters(scope, command, expiresAt)))
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
          .in(
              query.environment(),
              scope -> session.execute(list, Tuple.of(scope.env(), Columns.utc(query.now()))))
          .map(rows -> Lists.mapped(rows, PgQueueLimits::published))
          .recover(PgFailures.during("listPublishedQueues"));
    });
  }

  private static Tuple parameters(PgSession.Scope scope, PublishQueues command, Instant expiresAt) {
    return Tuple.of(
        scope.env(),
        command.processId(),
        command.queues().stream().map(QueuePolicy::queue).toArray(String[]::new),
        command.queues().stream().map(PgQueueLimits::limit).toArray(Integer[]::new),
        Columns.utc(expiresAt),
        Columns.utc(command.now()));
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
