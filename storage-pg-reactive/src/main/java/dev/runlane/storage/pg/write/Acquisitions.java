package dev.runlane.storage.pg.write;

import dev.runlane.postgres.BatchStatement;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.pg.row.DueKind;
import dev.runlane.storage.pg.row.EventRow;
import dev.runlane.storage.pg.row.MessageRow;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.QueueBindings;
import dev.runlane.storage.pg.row.RunRows;
import dev.runlane.storage.pg.row.StoredEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Claims leases of named runs and reserves dispatch, many in one statement. */
public final class Acquisitions implements BatchStatement<Acquire, Optional<AppendedRun>> {
  private static final SqlStatement<PgSession.Scoped<Rows>> ACQUIRE = PgSession.statement(
      "acquire_runs",
      new Parameters<Rows>()
          .rows(
              Rows::runs,
              new Columns<Acquire>()
                  .texts("run_ids", Acquire::runId)
                  .longs("expected_sequences", Acquire::expected)
                  .texts("statuses", each -> each.run().status().value())
                  .shorts("kinds", each -> DueKind.of(each.run()).number())
                  .times("due_times", each -> DueKind.dueAt(each.run()))
                  .longs("sequences", each -> each.run().eventSequence())
                  .integers("attempts", each -> each.run().counters().attempts())
                  .times("run_times", each -> each.run().runAt())
                  .times("updated_times", each -> each.run().updatedAt())
                  .times("started_times", each -> each.run().startedAt())
                  .of(Acquire::run, RunRows.OWNERSHIP)
                  .texts("trace_carriers", each -> RunRows.traceText(each.run().traceCarrier()))
                  .texts(
                      "failure_records", each -> RunRows.failureText(each.run().failure()))
                  .flags("reserving", Acquire::reserving)
                  .integers("concurrency_limits", each -> each.policy().concurrencyLimit())
                  .times("due_by_times", Acquire::dueBy)
                  .times("now_times", Acquire::now))
          .rows(Rows::events, EventRow.COLUMNS)
          .rows(Rows::messages, MessageRow.COLUMNS));
  private static final SqlStatement<PgSession.Scoped<Acquire>> AWAIT_PARTITION =
      PgSession.statement(
          "await_partition",
          new Parameters<Acquire>()
              .value("queue", each -> each.policy().queue())
              .value("partition", each -> DueKind.partition(each.run().keys().concurrencyKey())));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(ACQUIRE, AWAIT_PARTITION);

  private final PgSession session;
  private final PgSession.Scope scope;
  private final QueueBindings bindings;
  private final CapacityRows capacity;
  private final Reservations reservations;

  Acquisitions(
      PgSession session,
      PgSession.Scope scope,
      QueueBindings bindings,
      CapacityRows capacity,
      Reservations reservations) {
    this.session = session;
    this.scope = scope;
    this.bindings = bindings;
    this.capacity = capacity;
    this.reservations = reservations;
  }

  @Override
  public List<String> keys(Acquire command) {
    return List.of(command.runId());
  }

  @Override
  public Future<List<CommandOutcome<Optional<AppendedRun>>>> execute(List<Acquire> commands) {
    return prepare(commands).compose(ready -> executePrepared(commands));
  }

  /** Sees to it that the queues' rows and capacity rows are as the commands' policies say. */
  Future<Void> prepare(List<Acquire> commands) {
    Set<QueuePolicy> policies = new HashSet<>();
    Set<CapacityRows.Partition> partitions = new HashSet<>();
    for (Acquire command : commands) {
      policies.add(command.policy());
      if (command.policy().isBounded()) {
        partitions.add(new CapacityRows.Partition(
            scope.env(),
            command.policy().queue(),
            DueKind.partition(command.run().keys().concurrencyKey())));
      }
    }
    return bindings.bindOnce(scope, policies).compose(bound -> capacity.ensure(scope, partitions));
  }

  /** What {@link #execute} does after preparing, for a transaction before which that was done. */
  Future<List<CommandOutcome<Optional<AppendedRun>>>> executePrepared(List<Acquire> commands) {
    return acquire(commands).compose(first -> again(commands, first).map(again -> commands.stream()
        .map(command -> Objects.requireNonNullElseGet(
            again.get(command.runId()), () -> outcome(first.runs().get(command.runId()))))
        .toList()));
  }

  /** Holds the capacity row of the command's partition, if it has one, for the rest of the transaction. */
  Future<Void> awaitPartition(Acquire command) {
    return command.policy().isBounded()
        ? session.execute(AWAIT_PARTITION, scope, command).mapEmpty()
        : Future.succeededFuture();
  }

  private static CommandOutcome<Optional<AppendedRun>> outcome(@Nullable AppendedRun acquired) {
    return new CommandOutcome.Succeeded<>(Optional.ofNullable(acquired));
  }

  /**
   * Those that found no room try once more if that frees slots of reservations nobody claimed in time. What becomes of
   * them, where that is another thing than at first.
   */
  private Future<Map<String, CommandOutcome<Optional<AppendedRun>>>> again(
      List<Acquire> commands, Acquired first) {
    List<Acquire> refused = commands.stream()
        .filter(command -> first.stored().isRefused(command.runId()))
        .toList();
    if (refused.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    Map<String, Instant> queues = new LinkedHashMap<>();
    refused.forEach(command -> queues.merge(
        command.policy().queue(),
        command.now(),
        (one, other) -> one.isBefore(other) ? one : other));
    return reservations
        .collect(scope, queues)
        .compose(collected -> collected == 0
            ? Future.succeededFuture(Map.<String, CommandOutcome<Optional<AppendedRun>>>of())
            : acquire(refused)
                .map(second -> outcomes(refused, run -> outcome(second.runs().get(run)))))
        .recover(failure -> {
          if (first.runs().isEmpty()) {
            return Future.failedFuture(failure);
          }
          RunlaneException ours = PgFailures.of("claimRunLease", failure);
          return Future.succeededFuture( // the others are leased
              outcomes(refused, run -> new CommandOutcome.Failed<>(ours)));
        });
  }

  private static Map<String, CommandOutcome<Optional<AppendedRun>>> outcomes(
      List<Acquire> commands, Function<String, CommandOutcome<Optional<AppendedRun>>> outcome) {
    return commands.stream()
        .map(Acquire::runId)
        .collect(Collectors.toMap(Function.identity(), outcome));
  }

  private Future<Acquired> acquire(List<Acquire> commands) {
    List<EventRow> events = new ArrayList<>();
    List<MessageRow> messages = new ArrayList<>();
    for (Acquire each : commands) {
      events.addAll(EventRow.of(each.runId(), each.expected() + 1, each.events()));
      messages.addAll(MessageRow.of(
          each.run(), each.events(), each.expected() + 1, each.now(), null, session.ids()));
    }
    return session.execute(ACQUIRE, scope, new Rows(commands, events, messages)).map(rows -> {
      StoredEvents stored = StoredEvents.of(rows);
      Map<String, AppendedRun> runs = new HashMap<>();
      for (Acquire each : commands) {
        stored
            .records(each.runId(), each.expected(), each.events())
            .ifPresent(
                records -> runs.put(each.runId(), new AppendedRun(each.run(), records, List.of())));
      }
      return new Acquired(stored, runs);
    });
  }

  private record Rows(List<Acquire> runs, List<EventRow> events, List<MessageRow> messages) {}

  private record Acquired(StoredEvents stored, Map<String, AppendedRun> runs) {}
}
