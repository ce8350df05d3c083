package dev.runlane.storage.pg;

import dev.runlane.json.RunEventJson;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.ClaimRuns;
import dev.runlane.storage.ClaimedRuns;
import dev.runlane.storage.RunEventRecord;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Claims and starts many due runs at once: one statement for all unbounded queues, one for each bounded
 * queue, in turns, so that a backlog in one does not starve the others.
 */
final class Claims {
  private static final int MOST_PARTITIONS = 256;
  private static final String FIRST_PARTITION = "";
  private static final int CLAIMED_ID =
      24; // the column, counted from 0; the other event's id follows

  private final PgSession session;
  private final PgSession.Scope scope;
  private final QueueBindings bindings;
  private final Reservations reservations;
  private final LowWaterMarks marks;
  private final String claimUnbounded;
  private final String claimBounded;
  private final String walk;
  private final Map<String, String> walkFrom = new ConcurrentHashMap<>();
  private final AtomicInteger turn = new AtomicInteger();

  Claims(
      PgSession session,
      PgSession.Scope scope,
      QueueBindings bindings,
      Reservations reservations,
      Clock clock) {
    this.session = session;
    this.scope = scope;
    this.bindings = bindings;
    this.reservations = reservations;
    this.marks = new LowWaterMarks(clock);
    this.claimUnbounded = session.statements().get("claim_unbounded");
    this.claimBounded = session.statements().get("claim_bounded");
    this.walk = session.statements().get("bounded_walk");
  }

  Future<ClaimedRuns> claim(ClaimRuns command) {
    if (command.queues().isEmpty() || command.taskIds().isEmpty()) {
      return Future.succeededFuture(new ClaimedRuns(List.of(), false));
    }
    return bindings.bind(scope, command.queues()).compose(bound -> claimInTurns(command));
  }

  private Future<ClaimedRuns> claimInTurns(ClaimRuns command) {
    List<QueuePolicy> unbounded =
        command.queues().stream().filter(queue -> !queue.isBounded()).toList();
    List<List<QueuePolicy>> groups = new ArrayList<>();
    if (!unbounded.isEmpty()) {
      groups.add(unbounded);
    }
    command.queues().stream()
        .filter(QueuePolicy::isBounded)
        .forEach(queue -> groups.add(List.of(queue)));
    int first = Math.floorMod(turn.getAndIncrement(), groups.size());
    Future<ClaimedRuns> claimed = Future.succeededFuture(new ClaimedRuns(List.of(), false));
    for (int index = 0; index < groups.size(); index++) {
      List<QueuePolicy> group = groups.get((first + index) % groups.size());
      claimed = claimed.compose(before -> {
        int left = command.limit() - before.runs().size();
        return left == 0
            ? Future.succeededFuture(before)
            : claim(command, group, left).map(more -> join(before, more));
      });
    }
    return claimed;
  }

  private Future<ClaimedRuns> claim(ClaimRuns command, List<QueuePolicy> group, int limit) {
    QueuePolicy first = group.get(0);
    return first.isBounded()
        ? claimBounded(command, first, limit)
        : claimUnbounded(command, group, limit);
  }

  private static ClaimedRuns join(ClaimedRuns one, ClaimedRuns other) {
    List<ClaimedRuns.Claimed> runs = new ArrayList<>(one.runs());
    runs.addAll(other.runs());
    return new ClaimedRuns(runs, one.mayHaveMore() || other.mayHaveMore());
  }

  private Future<ClaimedRuns> claimUnbounded(
      ClaimRuns command, List<QueuePolicy> group, int limit) {
    List<String> queues = group.stream().map(QueuePolicy::queue).toList();
    Tuple parameters = Tuple.tuple().addInteger(scope.env());
    new Columns<>(queues, parameters).texts(queue -> queue).times(marks::of);
    addLease(parameters, command, limit);
    return session.execute(claimUnbounded, parameters).map(rows -> {
      List<ClaimedRuns.Claimed> claimed = claimed(command, rows);
      marks.move(queues, rows, claimed.size() == limit ? limit : 0);
      return new ClaimedRuns(claimed, claimed.size() == limit);
    });
  }

  private Future<ClaimedRuns> claimBounded(ClaimRuns command, QueuePolicy queue, int limit) {
    return claimPartitions(command, queue, limit).compose(first -> {
      if (!first.isEmpty()) {
        walkFrom.put(queue.queue(), first.size() == limit ? lastPartition(first) : FIRST_PARTITION);
        return Future.succeededFuture(new ClaimedRuns(first, true));
      }
      return prepareAnother(command, queue)
          .compose(prepared -> prepared.worthwhile()
              ? claimPartitions(command, queue, limit)
                  .map(second -> new ClaimedRuns(second, prepared.walkedOn() || !second.isEmpty()))
              : Future.succeededFuture(new ClaimedRuns(List.of(), prepared.walkedOn())));
    });
  }

  private static String lastPartition(List<ClaimedRuns.Claimed> claimed) {
    return claimed.stream()
        .map(each -> DueKind.partition(each.run().keys().concurrencyKey()))
        .max(Comparator.naturalOrder())
        .orElse(FIRST_PARTITION);
  }

  private Future<List<ClaimedRuns.Claimed>> claimPartitions(
      ClaimRuns command, QueuePolicy queue, int limit) {
    Tuple parameters =
        Tuple.of(scope.env(), queue.queue(), walkFrom.getOrDefault(queue.queue(), FIRST_PARTITION));
    addLease(parameters, command, limit);
    parameters.addInteger(MOST_PARTITIONS).addInteger(queue.concurrencyLimit());
    return session.execute(claimBounded, parameters).map(rows -> claimed(command, rows));
  }

  /** After an empty claim: walks on, makes capacity rows that are missing, collects expired reservations. */
  private Future<Prepared> prepareAnother(ClaimRuns command, QueuePolicy queue) {
    String from = walkFrom.getOrDefault(queue.queue(), FIRST_PARTITION);
    return session
        .execute(walk, Tuple.of(scope.env(), queue.queue(), from, MOST_PARTITIONS))
        .compose(rows -> {
          Row row = rows.iterator().next();
          boolean walkedOn = row.getLong(1) == MOST_PARTITIONS;
          walkFrom.put(queue.queue(), walkedOn ? row.getString(0) : FIRST_PARTITION);
          boolean wrapped = !walkedOn && !from.equals(FIRST_PARTITION);
          boolean made = row.getLong(2) > 0;
          return reservations
              .collect(scope, Map.of(queue.queue(), command.now()))
              .map(collected -> new Prepared(made || wrapped || collected > 0, walkedOn));
        });
  }

  private static void addLease(Tuple parameters, ClaimRuns command, int limit) {
    parameters
        .addArrayOfString(command.taskIds().toArray(String[]::new))
        .addOffsetDateTime(Columns.utc(command.now()))
        .addInteger(limit)
        .addOffsetDateTime(Columns.utc(lease(command).expiresAt()))
        .addString(command.leaseToken())
        .addString(command.workerId())
        .addString(leaseBody(command));
  }

  private static Lease lease(ClaimRuns command) {
    return new Lease(
        command.leaseToken(), command.workerId(), command.now().plus(command.leaseFor()));
  }

  private static String leaseBody(ClaimRuns command) {
    EventHeader header = EventHeader.bySystem(command.environment(), "any", command.now());
    return RunEventJson.body(new RunEvent.LeaseClaimed(header, lease(command))).text();
  }

  private List<ClaimedRuns.Claimed> claimed(ClaimRuns command, RowSet<Row> rows) {
    List<RunRecord> before = new ArrayList<>();
    Map<String, List<Long>> eventIds = new HashMap<>();
    Map<String, Row> after = new HashMap<>();
    for (Row row : rows) {
      if (row.getLong(CLAIMED_ID) == null) {
        after.put(row.getString(0), row);
      } else {
        before.add(RunRows.run(scope.environment(), new RowReader(row)));
        eventIds.put(
            row.getString(0), List.of(row.getLong(CLAIMED_ID), row.getLong(CLAIMED_ID + 1)));
      }
    }
    List<ClaimedRuns.Claimed> claimed = new ArrayList<>(before.size());
    for (RunRecord run : before) {
      RowReader written = new RowReader(Objects.requireNonNull(after.get(run.id())));
      RunRecord now = RunRows.run(scope.environment(), written, run);
      List<Long> ids = Objects.requireNonNull(eventIds.get(run.id()));
      claimed.add(new ClaimedRuns.Claimed(run, now, events(command, now, ids)));
    }
    return claimed;
  }

  private static List<RunEventRecord> events(ClaimRuns command, RunRecord run, List<Long> ids) {
    EventHeader header = EventHeader.bySystem(run.environment(), run.id(), run.updatedAt());
    return List.of(
        new RunEventRecord(
            ids.get(0).toString(),
            run.eventSequence() - 1,
            new RunEvent.LeaseClaimed(header, lease(command))),
        new RunEventRecord(
            ids.get(1).toString(),
            run.eventSequence(),
            new RunEvent.Started(header, run.counters().attempts())));
  }

  private record Prepared(boolean worthwhile, boolean walkedOn) {}
}
