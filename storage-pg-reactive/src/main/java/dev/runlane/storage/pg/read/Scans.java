package dev.runlane.storage.pg.read;

import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Identifiers;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.QueueBindings;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.pg.row.RunRows;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.timing.FutureLoop;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Candidates for workers and maintenance. */
public final class Scans {
  private static final Comparator<RunnableRunRef> BY_DUE = Comparator.comparing(
          RunnableRunRef::availableAt)
      .thenComparing(RunnableRunRef::runId, Identifiers.ORDER);

  private static final SqlStatement<PgSession.Scoped<ListRunnableRuns>> RUNNABLE_UNBOUNDED =
      PgSession.statement(
          "list_runnable_unbounded",
          new Parameters<ListRunnableRuns>()
              .texts("queues", Scans::unbounded)
              .texts("task_ids", query -> new LinkedHashSet<>(query.taskIds()))
              .time("now", ListRunnableRuns::now)
              .value("limit", ListRunnableRuns::limit));
  private static final Parameters<Bounded> OF_BOUNDED = new Parameters<Bounded>()
      .rows(
          Bounded::queues,
          new Columns<PartitionScan.Stretch>()
              .texts("bounded_queues", each -> each.policy().queue())
              .texts("bounded_starts", PartitionScan.Stretch::from)
              .integers("bounded_steps", PartitionScan.Stretch::steps)
              .integers("bounded_limits", each -> each.policy().concurrencyLimit()))
      .time("now", Bounded::now)
      .value("limit", Bounded::limit);
  private static final SqlStatement<PgSession.Scoped<Bounded>> RUNNABLE_BOUNDED =
      PgSession.statement(
          "list_runnable_bounded",
          OF_BOUNDED.texts("task_ids", bounded -> new LinkedHashSet<>(bounded.taskIds())));
  private static final SqlStatement<PgSession.Scoped<Bounded>> DISPATCH =
      PgSession.statement("list_needing_dispatch", OF_BOUNDED);
  private static final SqlStatement<PgSession.Scoped<ListRunsNeedingCancellationFinalization>>
      CANCELLING = PgSession.statement(
          "list_cancelling",
          new Parameters<ListRunsNeedingCancellationFinalization>()
              .time("now", ListRunsNeedingCancellationFinalization::now)
              .value("limit", ListRunsNeedingCancellationFinalization::limit));
  private static final SqlStatement<PgSession.Scoped<ListRunsNeedingDelivery>> DELIVERY =
      PgSession.statement(
          "list_needing_delivery",
          new Parameters<ListRunsNeedingDelivery>()
              .texts("queues", query -> new LinkedHashSet<>(query.queues()))
              .time("now", ListRunsNeedingDelivery::now)
              .time(
                  "scheduled_before",
                  query -> query.now().minus(ContractDefaults.SCHEDULED_RECOVERY_DELAY))
              .value("limit", ListRunsNeedingDelivery::limit));

  public static final List<SqlStatement<?>> STATEMENTS =
      List.of(RUNNABLE_UNBOUNDED, RUNNABLE_BOUNDED, DISPATCH, CANCELLING, DELIVERY);

  private final PgSession session;
  private final QueueBindings bindings;
  private final Map<PartitionScan.Place, String> reached = new ConcurrentHashMap<>();

  public Scans(PgSession session, QueueBindings bindings) {
    this.session = session;
    this.bindings = bindings;
  }

  public Future<List<RunnableRunRef>> runnable(PgSession.Scope scope, ListRunnableRuns query) {
    return bindings
        .bindReady(scope, query.queues())
        .compose(ready -> runnableIn(scope, of(query, ready.policies())))
        .recover(PgFailures.during("listRunnableRuns"));
  }

  private static ListRunnableRuns of(ListRunnableRuns query, List<QueuePolicy> queues) {
    return new ListRunnableRuns(
        query.environment(), queues, query.taskIds(), query.now(), query.limit());
  }

  private Future<List<RunnableRunRef>> runnableIn(PgSession.Scope scope, ListRunnableRuns query) {
    Future<List<RunnableRunRef>> unbounded = unbounded(query).isEmpty()
        ? Future.succeededFuture(List.of())
        : scan(RUNNABLE_UNBOUNDED, scope, query);
    return unbounded.compose(found -> bounded(scope, query)
        .map(bounded -> firstDue(Stream.concat(found.stream(), bounded.stream()), query.limit())));
  }

  /**
   * As many as are wanted, or all: a look that finds fewer has been over the partitions of all the queues that are not
   * left out.
   */
  public Future<List<RunnableRunRef>> needingDispatch(
      PgSession.Scope scope, ListRunsNeedingDispatch query) {
    return bindings
        .bindReady(scope, query.queues())
        .compose(ready -> needingDispatchIn(
            scope,
            new ListRunsNeedingDispatch(
                query.environment(), ready.policies(), query.now(), query.limit())))
        .recover(PgFailures.during("listRunsNeedingDispatch"));
  }

  private Future<List<RunnableRunRef>> needingDispatchIn(
      PgSession.Scope scope, ListRunsNeedingDispatch query) {
    return look(scope, query)
        .compose(first -> first.unbound().isEmpty() || first.found().size() >= query.limit()
            ? Future.succeededFuture(first)
            : bindings
                .bindMet(scope, first.unbound())
                .compose(again -> again ? look(scope, query) : Future.succeededFuture(first)))
        .map(look -> firstDue(look.found().values().stream(), query.limit()));
  }

  private Future<Look> look(PgSession.Scope scope, ListRunsNeedingDispatch query) {
    PartitionScan partitions = PartitionScan.of(scope.env(), query.queues(), reached);
    Look look = new Look(new HashMap<>(), new HashSet<>());
    return FutureLoop.whileTrue(() -> partitions.isThrough() || look.found().size() >= query.limit()
            ? Future.succeededFuture(false)
            : look(scope, query, partitions, look))
        .map(done -> look);
  }

  private Future<Boolean> look(
      PgSession.Scope scope, ListRunsNeedingDispatch query, PartitionScan partitions, Look look) {
    List<PartitionScan.Stretch> stretches = partitions.stretches();
    return session
        .execute(DISPATCH, scope, new Bounded(stretches, List.of(), query.now(), query.limit()))
        .map(rows -> {
          Set<String> unbound = new HashSet<>();
          for (Row row : rows) {
            if (row.getString(0) == null) {
              partitions.walked(row.getString(2), row.getString(3), row.getLong(5));
              if (row.getString(1) != null) {
                unbound.add(row.getString(2));
              }
            } else {
              RunnableRunRef run = RunRows.ref(new RowReader(row));
              look.found().put(run.runId(), run);
            }
          }
          stretches.stream()
              .map(PartitionScan.Stretch::policy)
              .filter(policy -> unbound.contains(policy.queue()))
              .forEach(look.unbound()::add);
          return true;
        });
  }

  public Future<List<RunnableRunRef>> needingCancellationFinalization(
      PgSession.Scope scope, ListRunsNeedingCancellationFinalization query) {
    return scan(CANCELLING, scope, query)
        .recover(PgFailures.during("listRunsNeedingCancellationFinalization"));
  }

  public Future<List<RunnableRunRef>> needingDelivery(
      PgSession.Scope scope, ListRunsNeedingDelivery query) {
    List<QueuePolicy> policies =
        query.queues().stream().distinct().map(QueuePolicy::unbounded).toList();
    return bindings
        .bindReady(scope, policies)
        .compose(ready -> scan(
            DELIVERY,
            scope,
            new ListRunsNeedingDelivery(
                query.environment(),
                ready.policies().stream().map(QueuePolicy::queue).toList(),
                query.now(),
                query.limit())))
        .recover(PgFailures.during("listRunsNeedingDelivery"));
  }

  private static List<String> unbounded(ListRunnableRuns query) {
    return query.queues().stream()
        .filter(queue -> !queue.isBounded())
        .map(QueuePolicy::queue)
        .toList();
  }

  /** One statement for all bounded queues of a look, since most looks find nothing. */
  private Future<List<RunnableRunRef>> bounded(PgSession.Scope scope, ListRunnableRuns query) {
    List<PartitionScan.Stretch> whole = query.queues().stream()
        .filter(QueuePolicy::isBounded)
        .map(PartitionScan.Stretch::whole)
        .toList();
    return whole.isEmpty()
        ? Future.succeededFuture(List.of())
        : scan(
            RUNNABLE_BOUNDED,
            scope,
            new Bounded(whole, query.taskIds(), query.now(), query.limit()));
  }

  private <C> Future<List<RunnableRunRef>> scan(
      SqlStatement<PgSession.Scoped<C>> statement, PgSession.Scope scope, C query) {
    return session.execute(statement, scope, query).map(rows -> Lists.mapped(rows, RunRows::ref));
  }

  private static List<RunnableRunRef> firstDue(Stream<RunnableRunRef> found, int limit) {
    return found.sorted(BY_DUE).limit(limit).toList();
  }

  /** What a look over partitions has found so far: runs by their ids, and queues with runs that have no partition. */
  private record Look(Map<String, RunnableRunRef> found, Set<QueuePolicy> unbound) {}

  private record Bounded(
      List<PartitionScan.Stretch> queues, List<String> taskIds, Instant now, int limit) {}
}
