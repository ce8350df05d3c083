package dev.runlane.storage.pg.read;

import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Removes old terminal runs, one status after the other along the index of each, and after them what the storage keeps
 * of partitions that have had no run for a day.
 */
public final class Pruning {
  /** Of one statement, so that it ends within its time: a run of a day whose lease is renewed has thousands. */
  private static final long MOST_EVENTS = 100_000;

  /** Looked at by a statement, and by a pass: every five minutes, that is for millions of new partitions a day. */
  private static final int PARTITIONS_AT_ONCE = 500;

  private static final int PARTITIONS_A_PASS = 50_000;

  private static final SqlStatement<PgSession.Scoped<Part>> PRUNE = PgSession.statement(
      "prune_runs",
      new Parameters<Part>()
          .value("status", Part::status)
          .time("older_than", part -> part.command().olderThan())
          .time("after_time", part -> part.from().updatedAt())
          .value("after_id", part -> part.from().runId())
          .value("limit", Part::limit)
          .value("most_events", part -> MOST_EVENTS)
          .time("now", part -> part.command().now()));

  private static final SqlStatement<PgSession.Scoped<Partitions>> PRUNE_CAPACITY =
      PgSession.statement(
          "prune_capacity",
          new Parameters<Partitions>()
              .value("after_queue", Partitions::afterQueue)
              .value("after_partition", Partitions::afterPartition)
              .value("limit", from -> PARTITIONS_AT_ONCE));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(PRUNE, PRUNE_CAPACITY);

  private final PgSession session;
  private final Map<Integer, Partitions> nextPartitions = new ConcurrentHashMap<>();

  public Pruning(PgSession session) {
    this.session = session;
  }

  public Future<PrunedRuns> prune(PgSession.Scope scope, PruneRuns command) {
    List<RunStatus> statuses = Arrays.stream(RunStatus.values())
        .filter(status -> command.statuses().isEmpty()
            ? status.isTerminal()
            : command.statuses().contains(status))
        .toList();
    Cursors cursors = Cursors.of(command);
    Position from = cursors
        .decode(command.cursor(), 3)
        .map(Position::of)
        .orElse(new Position(statuses.get(0).value(), null, null));
    int limit = command.limit() == null ? ContractDefaults.PRUNE_LIMIT : command.limit();
    int first = indexOf(statuses, from.status());
    return prune(scope, command, new Walk(statuses, cursors), first, from, limit, 0)
        .compose(pruned -> pruned.nextCursor() == null
            ? pruneCapacity(scope, PARTITIONS_A_PASS / PARTITIONS_AT_ONCE).map(pruned)
            : Future.succeededFuture(pruned))
        .recover(PgFailures.during("pruneRuns"));
  }

  private Future<PrunedRuns> prune(
      PgSession.Scope scope,
      PruneRuns command,
      Walk walk,
      int index,
      Position from,
      int limit,
      int removed) {
    Part part = new Part(command, walk.statuses().get(index).value(), from, limit);
    return session.execute(PRUNE, scope, part).compose(rows -> {
      Row row = rows.iterator().next();
      int lookedAt = row.getInteger(0);
      int total = removed + row.getInteger(1);
      if (row.getBoolean(4)) {
        return Future.succeededFuture(new PrunedRuns(
            total, walk.cursor(index, row.getOffsetDateTime(2).toInstant(), row.getString(3))));
      }
      return index + 1 == walk.statuses().size()
          ? Future.succeededFuture(new PrunedRuns(total, null))
          : prune(
              scope,
              command,
              walk,
              index + 1,
              new Position(walk.statuses().get(index + 1).value(), null, null),
              limit - lookedAt,
              total);
    });
  }

  /** A bounded number of partitions with each pass over the runs, from where the one before ended. */
  private Future<Void> pruneCapacity(PgSession.Scope scope, int statements) {
    Partitions from = nextPartitions.getOrDefault(scope.env(), new Partitions("", ""));
    return session.execute(PRUNE_CAPACITY, scope, from).compose(reached -> {
      if (reached.size() == 0) {
        nextPartitions.remove(scope.env());
        return Future.succeededFuture();
      }
      Row last = reached.iterator().next();
      nextPartitions.put(scope.env(), new Partitions(last.getString(0), last.getString(1)));
      return statements == 1 ? Future.succeededFuture() : pruneCapacity(scope, statements - 1);
    });
  }

  private static int indexOf(List<RunStatus> statuses, String value) {
    for (int index = 0; index < statuses.size(); index++) {
      if (statuses.get(index).value().equals(value)) {
        return index;
      }
    }
    throw RunlaneException.validationFailed("the cursor is malformed");
  }

  private record Part(PruneRuns command, String status, Position from, int limit) {}

  private record Partitions(String afterQueue, String afterPartition) {}

  private record Walk(List<RunStatus> statuses, Cursors cursors) {
    String cursor(int index, Instant updatedAt, String runId) {
      return cursors.encode(statuses.get(index).value(), updatedAt.toString(), runId);
    }
  }

  private record Position(
      String status, @Nullable Instant updatedAt, @Nullable String runId) {
    static Position of(List<String> parts) {
      return new Position(parts.get(0), Cursors.instant(parts.get(1)), parts.get(2));
    }
  }
}
