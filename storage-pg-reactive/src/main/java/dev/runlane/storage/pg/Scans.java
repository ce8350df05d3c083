package dev.runlane.storage.pg;

import dev.runlane.postgres.PgFailures;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.ListRunnableRuns;
import dev.runlane.storage.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.ListRunsNeedingDelivery;
import dev.runlane.storage.ListRunsNeedingDispatch;
import dev.runlane.storage.RunnableRunRef;
import io.vertx.core.Future;
import io.vertx.sqlclient.templates.SqlTemplate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Candidates for workers and maintenance. */
final class Scans {
  private static final Comparator<RunnableRunRef> BY_DUE = Comparator.comparing(
          RunnableRunRef::availableAt)
      .thenComparing(RunnableRunRef::runId, Identifiers.ORDER);

  private final PgSession session;
  private final QueueBindings bindings;
  private final String runnableUnbounded;
  private final String runnableBounded;
  private final String dispatch;
  private final String cancelling;
  private final String delivery;

  Scans(PgSession session, QueueBindings bindings) {
    this.session = session;
    this.bindings = bindings;
    this.runnableUnbounded = session.statements().get("list_runnable_unbounded");
    this.runnableBounded = session.statements().get("list_runnable_bounded");
    this.dispatch = session.statements().get("list_needing_dispatch");
    this.cancelling = session.statements().get("list_cancelling");
    this.delivery = session.statements().get("list_needing_delivery");
  }

  Future<List<RunnableRunRef>> runnable(PgSession.Scope scope, ListRunnableRuns query) {
    Map<String, Object> common = new HashMap<>();
    common.put("env", scope.env());
    common.put("taskIds", query.taskIds().stream().distinct().toArray(String[]::new));
    common.put("now", Columns.utc(query.now()));
    common.put("limit", query.limit());
    return bindings
        .bind(scope, query.queues())
        .compose(bound -> scanUnbounded(query.queues(), common))
        .compose(found -> scanBounded(runnableBounded, query.queues(), common, found))
        .map(found -> firstDue(found, query.limit()))
        .recover(PgFailures.during("listRunnableRuns"));
  }

  Future<List<RunnableRunRef>> needingDispatch(
      PgSession.Scope scope, ListRunsNeedingDispatch query) {
    Map<String, Object> common = new HashMap<>();
    common.put("env", scope.env());
    common.put("now", Columns.utc(query.now()));
    common.put("limit", query.limit());
    return bindings
        .bind(scope, query.queues())
        .compose(bound -> scanBounded(dispatch, query.queues(), common, List.of()))
        .map(found -> firstDue(found, query.limit()))
        .recover(PgFailures.during("listRunsNeedingDispatch"));
  }

  Future<List<RunnableRunRef>> needingCancellationFinalization(
      PgSession.Scope scope, ListRunsNeedingCancellationFinalization query) {
    return scan(
            cancelling,
            Map.of("env", scope.env(), "now", Columns.utc(query.now()), "limit", query.limit()))
        .recover(PgFailures.during("listRunsNeedingCancellationFinalization"));
  }

  Future<List<RunnableRunRef>> needingDelivery(
      PgSession.Scope scope, ListRunsNeedingDelivery query) {
    List<QueuePolicy> policies =
        query.queues().stream().map(QueuePolicy::unbounded).toList();
    Map<String, Object> parameters = Map.of(
        "env", scope.env(),
        "queues", query.queues().stream().distinct().toArray(String[]::new),
        "now", Columns.utc(query.now()),
        "scheduledBefore",
            Columns.utc(query.now().minus(ContractDefaults.SCHEDULED_RECOVERY_DELAY)),
        "limit", query.limit());
    return bindings
        .bind(scope, policies)
        .compose(bound -> scan(delivery, parameters))
        .recover(PgFailures.during("listRunsNeedingDelivery"));
  }

  private Future<List<RunnableRunRef>> scanUnbounded(
      List<QueuePolicy> queues, Map<String, Object> common) {
    String[] unbounded = queues.stream()
        .filter(queue -> !queue.isBounded())
        .map(QueuePolicy::queue)
        .distinct()
        .toArray(String[]::new);
    if (unbounded.length == 0) {
      return Future.succeededFuture(List.of());
    }
    Map<String, Object> parameters = new HashMap<>(common);
    parameters.put("queues", unbounded);
    return scan(runnableUnbounded, parameters);
  }

  private Future<List<RunnableRunRef>> scanBounded(
      String statement,
      List<QueuePolicy> queues,
      Map<String, Object> common,
      List<RunnableRunRef> before) {
    Future<List<RunnableRunRef>> found = Future.succeededFuture(before);
    for (QueuePolicy queue : queues) {
      Integer limit = queue.concurrencyLimit();
      if (limit != null) {
        Map<String, Object> parameters = new HashMap<>(common);
        parameters.put("queue", queue.queue());
        parameters.put("concurrencyLimit", limit);
        found =
            found.compose(sofar -> scan(statement, parameters).map(more -> joined(sofar, more)));
      }
    }
    return found;
  }

  private Future<List<RunnableRunRef>> scan(String statement, Map<String, Object> parameters) {
    return SqlTemplate.forQuery(session.client(), statement)
        .execute(parameters)
        .map(rows -> Lists.mapped(rows, RunRows::ref));
  }

  private static List<RunnableRunRef> joined(List<RunnableRunRef> one, List<RunnableRunRef> other) {
    List<RunnableRunRef> all = new ArrayList<>(one);
    all.addAll(other);
    return all;
  }

  private static List<RunnableRunRef> firstDue(List<RunnableRunRef> found, int limit) {
    return found.stream().sorted(BY_DUE).limit(limit).toList();
  }
}
