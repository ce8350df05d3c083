package dev.runlane.storage.pg.write;

import dev.runlane.json.record.RunEventJson;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.QueueBindings;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.pg.row.RunRows;
import dev.runlane.storage.pg.row.UnreadableRows;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims and starts many due runs of all the queues asked for in one statement, those due longest first. Of a
 * bounded queue with very many partitions each claim looks at some, and the next one at those behind. Runs that are
 * named are claimed in a statement of their own. A claimed run that cannot be read takes no other with it.
 */
public final class Claims {
  /** From here on a claim of bounded queues takes partition after partition, each in order of due time. */
  private static final int SMALLEST_LARGE_CLAIM = 17;

  /** From so many lines on those in which there is anything are asked for first. */
  private static final int MANY_LINES = 500;

  private static final Logger LOG = LoggerFactory.getLogger(Claims.class);

  private static final int CLAIMED_ID =
      24; // the column, counted from 0; the other event's id follows
  private static final Comparator<ClaimedRuns.Claimed> BY_DUE =
      Comparator.<ClaimedRuns.Claimed, Instant>comparing(Claims::dueAt)
          .thenComparing(each -> each.before().id(), Identifiers.ORDER);

  private static final Parameters<ClaimRuns> LEASES = new Parameters<ClaimRuns>()
      .time("now", ClaimRuns::now)
      .time("expires_at", command -> lease(command).expiresAt())
      .value("token", ClaimRuns::leaseToken)
      .value("worker", ClaimRuns::workerId)
      .value("lease_body", Claims::leaseBody);
  private static final Parameters<ClaimParameters> OF_UNBOUNDED = new Parameters<ClaimParameters>()
      .rows(
          ClaimParameters::lines,
          new Columns<LineFrom>()
              .texts("line_queues", each -> each.line().queue())
              .times("line_lows", LineFrom::low)
              .texts("line_task_ids", each -> each.line().taskId()))
      .value("limit", parameters -> parameters.pass().limit())
      .of(ClaimParameters::command, LEASES);
  private static final SqlStatement<PgSession.Scoped<ClaimParameters>> CLAIM_UNBOUNDED =
      PgSession.statement("claim_unbounded", OF_UNBOUNDED);
  private static final SqlStatement<PgSession.Scoped<ClaimParameters>> CLAIM_ANY =
      PgSession.statement(
          "claim_any",
          OF_UNBOUNDED
              .rows(
                  ClaimParameters::bounded,
                  new Columns<BoundedFrom>()
                      .texts("bounded_queues", each -> each.policy().queue())
                      .texts("bounded_starts", each -> each.reach().from())
                      .integers("bounded_steps", each -> each.reach().steps())
                      .integers("bounded_limits", each -> each.policy().concurrencyLimit()))
              .texts(
                  "task_ids",
                  parameters -> new LinkedHashSet<>(parameters.command().taskIds()))
              .value("prepared", parameters -> parameters.pass().prepared())
              .value("exact", parameters -> parameters.pass().isExact()));
  private static final SqlStatement<PgSession.Scoped<ClaimRuns>> CLAIM_NAMED = PgSession.statement(
      "claim_named",
      new Parameters<ClaimRuns>()
          .texts("run_ids", ClaimRuns::runIds)
          .texts(
              "queues",
              command -> command.queues().stream().map(QueuePolicy::queue).toList())
          .texts("task_ids", ClaimRuns::taskIds)
          .value("limit", ClaimRuns::limit)
          .of(command -> command, LEASES));
  private static final SqlStatement<PgSession.Scoped<Walk>> MAKE_CAPACITY = PgSession.statement(
      "make_walked_capacity",
      new Parameters<Walk>()
          .value("queue", Walk::queue)
          .value("start", walk -> walk.reach().from())
          .value("most_partitions", walk -> walk.reach().steps()));

  private static final SqlStatement<PgSession.Scoped<LinesWanted>> LINES_WITH_RUNS =
      PgSession.statement(
          "lines_with_runs",
          new Parameters<LinesWanted>()
              .texts("queues", LinesWanted::queues)
              .texts("task_ids", LinesWanted::taskIds));

  public static final List<SqlStatement<?>> STATEMENTS =
      List.of(CLAIM_UNBOUNDED, CLAIM_ANY, CLAIM_NAMED, MAKE_CAPACITY, LINES_WITH_RUNS);

  private final PgSession session;
  private final PgSession.Scope scope;
  private final QueueBindings bindings;
  private final Reservations reservations;
  private final LowWaterMarks marks;
  private final PartitionWalks walks = new PartitionWalks();
  private final UnreadableRows unreadable = new UnreadableRows(LOG, "reading a claimed run");

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
  }

  public Future<ClaimedRuns> claim(ClaimRuns command) {
    if (command.queues().isEmpty() || command.taskIds().isEmpty()) {
      return Future.succeededFuture(new ClaimedRuns(List.of(), false));
    }
    return bindings.bindReady(scope, command.queues()).compose(ready -> {
      Future<ClaimedRuns> claims = command.runIds() != null
          ? claimNamed(in(ready.policies(), command))
          : queues(command, ready.policies())
              .compose(queues -> queues.isEmpty()
                  ? Future.succeededFuture(new ClaimedRuns(List.of(), false))
                  : claim(command, queues));
      return ready.rest().isEmpty()
          ? claims
          : claims.compose(claimed -> leavingOut(ready, claimed));
    });
  }

  private static ClaimRuns in(List<QueuePolicy> queues, ClaimRuns command) {
    return new ClaimRuns(
        command.environment(),
        queues,
        command.taskIds(),
        command.workerId(),
        command.leaseToken(),
        command.leaseFor(),
        command.now(),
        command.limit(),
        command.runIds());
  }

  /**
   * With a line of each unbounded queue and each task, or where these would be many, with those in which there is
   * anything: a claim looks into each of its lines, and of a thousand tasks few are triggered in each of a thousand
   * queues. What comes between the two statements the next claim finds.
   */
  private Future<Queues> queues(ClaimRuns command, List<QueuePolicy> policies) {
    List<String> unbounded = policies.stream()
        .filter(policy -> !policy.isBounded())
        .map(QueuePolicy::queue)
        .toList();
    List<QueuePolicy> bounded = policies.stream().filter(QueuePolicy::isBounded).toList();
    Set<String> taskIds = new LinkedHashSet<>(command.taskIds());
    if ((long) unbounded.size() * taskIds.size() < MANY_LINES) {
      List<Line> all = unbounded.stream()
          .flatMap(queue -> taskIds.stream().map(taskId -> new Line(queue, taskId)))
          .toList();
      return Future.succeededFuture(new Queues(all, bounded));
    }
    return session
        .execute(LINES_WITH_RUNS, scope, new LinesWanted(unbounded, taskIds))
        .map(rows -> {
          List<Line> found = new ArrayList<>(rows.size());
          for (Row row : rows) {
            found.add(new Line(row.getString(0), row.getString(1)));
          }
          return new Queues(found, bounded);
        });
  }

  private Future<ClaimedRuns> claim(ClaimRuns command, Queues queues) {
    return attempt(command, queues, new Pass(command.limit(), false))
        .compose(first -> bindMet(command, queues, first))
        .compose(first -> prepare(command, queues, first))
        .compose(first -> fromTheBeginning(command, queues, first));
  }

  /** What waits in the queues that were left out is asked for again, but not in a tight loop. */
  private Future<ClaimedRuns> leavingOut(QueueBindings.Ready ready, ClaimedRuns claimed) {
    return (claimed.runs().isEmpty() ? bindings.soon(ready) : Future.<Void>succeededFuture())
        .map(over -> new ClaimedRuns(claimed.runs(), true));
  }

  private Future<ClaimedRuns> claimNamed(ClaimRuns command) {
    return session.execute(CLAIM_NAMED, scope, command).map(rows -> {
      Attempt attempt = read(command, rows, Map.of(), false);
      return new ClaimedRuns(attempt.runs(), attempt.passedOver());
    });
  }

  /** Claims again where the first pass met runs without a partition in bounded queues and they have one now. */
  private Future<Attempt> bindMet(ClaimRuns command, Queues queues, Attempt first) {
    Set<String> met = first.walks().stream()
        .filter(Walk::metUnbound)
        .map(Walk::queue)
        .collect(Collectors.toUnmodifiableSet());
    if (met.isEmpty()) {
      return Future.succeededFuture(first);
    }
    List<QueuePolicy> policies =
        queues.bounded().stream().filter(policy -> met.contains(policy.queue())).toList();
    Future<Boolean> bound = bindings.bindMet(scope, policies);
    return first.runs().isEmpty()
        ? bound.compose(again -> again
            ? attempt(command, queues, new Pass(command.limit(), false))
            : Future.succeededFuture(first))
        : bound
            .otherwise(false) // what is leased is answered; the next claim meets the others again
            .map(again -> again ? first.passingOver() : first);
  }

  /** Makes missing capacity rows and collects lapsed reservations where the first pass met some, and claims again. */
  private Future<Attempt> prepare(ClaimRuns command, Queues queues, Attempt first) {
    if (first.walks().stream().noneMatch(Walk::isUnready)) {
      return Future.succeededFuture(first);
    }
    Future<?> ready = Future.succeededFuture();
    for (Walk walk : first.walks()) {
      if (walk.missing() > 0) {
        ready = ready.compose(before -> session.execute(MAKE_CAPACITY, scope, walk));
      }
      if (walk.lapsed()) {
        ready = ready.compose(
            before -> reservations.collect(scope, Map.of(walk.queue(), command.now())));
      }
    }
    return ready.compose(done -> attempt(command, queues, new Pass(command.limit(), true)));
  }

  /**
   * A walk that has reached the last partition goes on with the first ones, until a whole round has met nothing, and a
   * claim that found too few behind a low-water mark looks before it too: a run that a competitor held while the mark
   * moved, and let go, is there.
   */
  private Future<ClaimedRuns> fromTheBeginning(ClaimRuns command, Queues queues, Attempt first) {
    int left = command.limit() - first.runs().size();
    boolean wrapped = first.walks().stream().anyMatch(Walk::isEndOfRound);
    note(first, command.limit());
    if (left == 0 || !(wrapped || first.behindMark())) {
      return Future.succeededFuture(
          new ClaimedRuns(first.runs(), left == 0 || first.passedOver() || first.isCutShort()));
    }
    Set<String> through = first.walks().stream()
        .filter(Walk::isEndOfRound)
        .map(Walk::queue)
        .collect(Collectors.toUnmodifiableSet());
    return attempt(command, queues, new Pass(left, true))
        .map(second -> {
          note(second, left);
          boolean unseen = second.walks().stream()
              .anyMatch(walk -> walk.isCutShort()
                  && (!through.contains(walk.queue()) || walks.hasFound(walk.queue())));
          boolean newRound = wrapped && !second.runs().isEmpty();
          return new ClaimedRuns(
              first.and(second),
              unseen
                  || newRound
                  || second.runs().size() == left
                  || first.passedOver()
                  || second.passedOver()
                  || second.behindMark());
        })
        .recover(failure -> first.runs().isEmpty()
            ? Future.failedFuture(failure)
            : Future.succeededFuture(new ClaimedRuns(first.runs(), true))); // they are leased
  }

  private Future<Attempt> attempt(ClaimRuns command, Queues queues, Pass pass) {
    List<Line> lines = queues.lines();
    List<LineFrom> linesFrom =
        lines.stream().map(line -> new LineFrom(line, marks.of(line))).toList();
    boolean behindMark =
        linesFrom.stream().anyMatch(each -> !each.low().equals(LowWaterMarks.BEGINNING));
    Map<String, PartitionWalks.Reach> reaches = new HashMap<>();
    queues
        .bounded()
        .forEach(policy ->
            reaches.put(policy.queue(), walks.next(policy.queue(), pass.limit(), pass.isExact())));
    ClaimParameters parameters = new ClaimParameters(
        command,
        pass,
        linesFrom,
        queues.bounded().stream()
            .map(policy ->
                new BoundedFrom(policy, Objects.requireNonNull(reaches.get(policy.queue()))))
            .toList());
    return session
        .execute(queues.bounded().isEmpty() ? CLAIM_UNBOUNDED : CLAIM_ANY, scope, parameters)
        .map(rows -> {
          Attempt attempt = read(command, rows, reaches, behindMark);
          marks.move(lines, attempt.runs(), attempt.runs().size() == pass.limit());
          return attempt;
        });
  }

  private void note(Attempt attempt, int limit) {
    boolean enough = attempt.runs().size() == limit;
    attempt.walks().forEach(walk -> walks.note(walk, enough));
  }

  private static Lease lease(ClaimRuns command) {
    return new Lease(
        command.leaseToken(), command.workerId(), command.now().plus(command.leaseFor()));
  }

  private static String leaseBody(ClaimRuns command) {
    EventHeader header = EventHeader.bySystem(command.environment(), "any", command.now());
    return RunEventJson.body(new RunEvent.LeaseClaimed(header, lease(command))).text();
  }

  private Attempt read(
      ClaimRuns command,
      RowSet<Row> rows,
      Map<String, PartitionWalks.Reach> reaches,
      boolean behindMark) {
    List<Row> before = new ArrayList<>();
    Map<String, Row> after = new HashMap<>();
    List<Walk> walked = new ArrayList<>();
    long wanted = 0; // or passed over
    for (Row row : rows) {
      String runId = row.getString(0);
      if (runId == null && row.getString(2) == null) {
        wanted = Objects.requireNonNullElse(row.getLong(4), 0L);
      } else if (runId == null) {
        walked.add(Walk.of(row, Objects.requireNonNull(reaches.get(row.getString(2)))));
      } else if (row.getLong(CLAIMED_ID) == null) {
        after.put(runId, row);
      } else {
        before.add(row);
      }
    }
    List<ClaimedRuns.Claimed> claimed = new ArrayList<>(before.size());
    for (Row row : before) {
      String runId = row.getString(0);
      Row written = Objects.requireNonNull(after.get(runId));
      try {
        claimed.add(claimed(command, row, written));
      } catch (RuntimeException failure) {
        unreadable.failed(failure, "nobody works on run %s until its lease ends".formatted(runId));
      }
    }
    claimed.sort(BY_DUE);
    return new Attempt(claimed, wanted, walked, behindMark);
  }

  private ClaimedRuns.Claimed claimed(ClaimRuns command, Row before, Row after) {
    RunRecord run = RunRows.run(scope.environment(), new RowReader(before));
    RunRecord now = RunRows.claimed(new RowReader(after), run);
    List<Long> ids = List.of(before.getLong(CLAIMED_ID), before.getLong(CLAIMED_ID + 1));
    return new ClaimedRuns.Claimed(run, now, events(command, now, ids));
  }

  private static Instant dueAt(ClaimedRuns.Claimed claimed) {
    RunRecord run = claimed.before();
    return RunDueTimes.runnableAvailableAt(run).orElse(run.updatedAt());
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

  /**
   * What waits for one task in one unbounded queue.
   *
   * @param queue the queue
   * @param taskId the task
   */
  record Line(String queue, String taskId) {}

  /**
   * One pass over the queues.
   *
   * @param limit most runs
   * @param prepared whether to claim though capacity rows are missing or reservations have lapsed
   */
  private record Pass(int limit, boolean prepared) {
    boolean isExact() {
      return limit < SMALLEST_LARGE_CLAIM;
    }
  }

  private record ClaimParameters(
      ClaimRuns command, Pass pass, List<LineFrom> lines, List<BoundedFrom> bounded) {}

  private record LineFrom(Line line, Instant low) {}

  private record LinesWanted(List<String> queues, Set<String> taskIds) {}

  private record BoundedFrom(QueuePolicy policy, PartitionWalks.Reach reach) {}

  /**
   * Where a claim looks.
   *
   * @param lines of the unbounded queues
   * @param bounded the others
   */
  private record Queues(List<Line> lines, List<QueuePolicy> bounded) {
    boolean isEmpty() {
      return lines.isEmpty() && bounded.isEmpty();
    }
  }

  /**
   * What one statement did.
   *
   * @param wanted runs that were found, and partitions that were left out
   * @param behindMark whether it began at a low-water mark in some line
   */
  private record Attempt(
      List<ClaimedRuns.Claimed> runs, long wanted, List<Walk> walks, boolean behindMark) {
    List<ClaimedRuns.Claimed> and(Attempt second) {
      List<ClaimedRuns.Claimed> both = new ArrayList<>(runs);
      both.addAll(second.runs());
      both.sort(BY_DUE);
      return both;
    }

    /** The same, of which the caller is told that there may be more. */
    Attempt passingOver() {
      return new Attempt(runs, Math.max(wanted, runs.size() + 1L), walks, behindMark);
    }

    /** Somebody else held a run, a partition, or a lapsed reservation, whose slot then looks taken. */
    boolean passedOver() {
      return runs.size() < wanted || walks.stream().anyMatch(Walk::isUnready);
    }

    boolean isCutShort() {
      return walks.stream().anyMatch(Walk::isCutShort);
    }
  }

  /**
   * How the walk over the partitions of a bounded queue went.
   *
   * @param last the last partition, null where there is none
   * @param missing how many of the partitions lack a capacity row
   * @param lapsed whether a reservation has lapsed that still takes a slot
   * @param room how many waiting runs those partitions are likely to have had room for
   * @param metUnbound whether a run of the queue has no partition, if that was looked for
   */
  record Walk(
      String queue,
      PartitionWalks.Reach reach,
      @Nullable String last,
      long partitions,
      int missing,
      boolean lapsed,
      int room,
      boolean metUnbound) {
    private static Walk of(Row row, PartitionWalks.Reach reach) {
      return new Walk(
          row.getString(2),
          reach,
          row.getString(1),
          row.getLong(4),
          row.getInteger(5),
          row.getInteger(6) > 0,
          row.getInteger(7),
          row.getInteger(8) != null);
    }

    private boolean isUnready() {
      return missing > 0 || lapsed;
    }

    boolean isCutShort() {
      return partitions == reach.steps();
    }

    private boolean isEndOfRound() {
      return !isCutShort() && !reach.isBeginning();
    }
  }
}
