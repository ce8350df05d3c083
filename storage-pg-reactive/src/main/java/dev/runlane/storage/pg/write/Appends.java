package dev.runlane.storage.pg.write;

import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;
import static dev.runlane.run.StorageConflictKind.LEASE_OWNERSHIP;

import dev.runlane.postgres.BatchStatement;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.pg.row.DueKind;
import dev.runlane.storage.pg.row.EventRow;
import dev.runlane.storage.pg.row.MessageRow;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RunRows;
import dev.runlane.storage.pg.row.StoredEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Appends to runs that exist, many in one statement. Two forms: one for runs that end and have nothing
 * else to write, which is what most runs do most of the time, and one for everything.
 */
public final class Appends {
  private static final int MOST_TRIES = 3;
  private static final Parameters<Rows> OF_ENDS = new Parameters<Rows>()
      .rows(
          Rows::runs,
          new Columns<Append>()
              .texts("run_ids", Append::runId)
              .longs("expected_sequences", Append::expected)
              .texts("statuses", each -> each.run().status().value())
              .longs("sequences", each -> each.run().eventSequence())
              .integers("attempts", each -> each.run().counters().attempts())
              .integers("failures", each -> each.run().counters().failures())
              .integers("retries", each -> each.run().counters().retries())
              .integers("releases", each -> each.run().counters().releases())
              .times("run_times", each -> each.run().runAt())
              .times("updated_times", each -> each.run().updatedAt())
              .times("started_times", each -> each.run().startedAt())
              .times("finished_times", each -> finishedOrUpdatedAt(each.run()))
              .texts("trace_carriers", each -> RunRows.traceText(each.run().traceCarrier()))
              .texts("failure_records", each -> RunRows.failureText(each.run().failure()))
              .texts("held_tokens", Append::leaseToken)
              .texts("held_workers", Append::leaseWorker))
      .rows(Rows::events, EventRow.COLUMNS);
  private static final SqlStatement<PgSession.Scoped<Rows>> END =
      PgSession.statement("end_runs", OF_ENDS);
  private static final SqlStatement<PgSession.Scoped<Rows>> APPEND = PgSession.statement(
      "append_runs",
      OF_ENDS
          .rows(Rows::messages, MessageRow.COLUMNS)
          .rows(
              Rows::runs,
              new Columns<Append>()
                  .flags("terminal", Append::isEnd)
                  .shorts("kinds", each -> DueKind.of(each.run()).number())
                  .flags("occupying", each -> DueKind.occupies(each.run()))
                  .times("due_times", each -> DueKind.dueAt(each.run()))
                  .of(Append::run, RunRows.OWNERSHIP)
                  .texts("awaiting", each -> awaiting(each.run()))
                  .flags("requesting", StepChange::isRequesting))
          .rows(Rows::changes, StepChange.COLUMNS));
  private static final SqlStatement<PgSession.Scoped<List<Append>>> POSITIONS = PgSession.statement(
      "read_positions",
      new Parameters<List<Append>>()
          .rows(lost -> lost, new Columns<Append>().texts("run_ids", Append::runId)));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(END, APPEND, POSITIONS);

  private final PgSession session;
  private final PgSession.Scope scope;

  Appends(PgSession session, PgSession.Scope scope) {
    this.session = session;
    this.scope = scope;
  }

  /** The statement for appends that are plain ends. */
  BatchStatement<Append, AppendedRun> ends() {
    return new Statement(END);
  }

  /** The statement for every append. */
  BatchStatement<Append, AppendedRun> any() {
    return new Statement(APPEND);
  }

  private static Instant finishedOrUpdatedAt(RunRecord run) {
    return run.finishedAt() == null ? run.updatedAt() : run.finishedAt();
  }

  private static @Nullable String awaiting(RunRecord run) {
    return run.awaiting() == null ? null : run.awaiting().value();
  }

  /** Why an append was lost, or empty when nothing stands in its way any more. */
  private static Optional<RunlaneException> failure(Append append, @Nullable Position position) {
    if (append.leaseToken() != null && (position == null || !position.isLeasedAs(append))) {
      return Optional.of(RunlaneException.conflict(
          LEASE_OWNERSHIP,
          "run %s is not leased by worker %s any more",
          append.runId(),
          String.valueOf(append.leaseWorker())));
    }
    long sequence = position == null ? 0 : position.sequence();
    return sequence == append.expected()
        ? Optional.empty()
        : Optional.of(RunlaneException.conflict(
            EVENT_SEQUENCE,
            "run %s is at sequence %d, not %d",
            append.runId(),
            sequence,
            append.expected()));
  }

  private record Rows(
      List<Append> runs,
      List<EventRow> events,
      List<MessageRow> messages,
      List<StepChange> changes) {
    static Rows of(List<Append> runs, List<List<MessageRow>> messages) {
      return new Rows(
          runs,
          runs.stream()
              .flatMap(
                  each -> EventRow.of(each.runId(), each.expected() + 1, each.events()).stream())
              .toList(),
          messages.stream().flatMap(List::stream).toList(),
          runs.stream().flatMap(each -> StepChange.of(each).stream()).toList());
    }
  }

  private record Position(
      long sequence, @Nullable String token, @Nullable String worker) {
    boolean isLeasedAs(Append append) {
      return append.leaseToken() != null
          && append.leaseToken().equals(token)
          && append.leaseWorker() != null
          && append.leaseWorker().equals(worker);
    }
  }

  private final class Statement implements BatchStatement<Append, AppendedRun> {
    private final SqlStatement<PgSession.Scoped<Rows>> write;

    Statement(SqlStatement<PgSession.Scoped<Rows>> write) {
      this.write = write;
    }

    @Override
    public List<String> keys(Append command) {
      return List.of(command.runId());
    }

    @Override
    public long bytes(Append command) {
      return EventRow.bytes(command.events());
    }

    @Override
    public Future<List<CommandOutcome<AppendedRun>>> execute(List<Append> commands) {
      return execute(commands, 1);
    }

    private Future<List<CommandOutcome<AppendedRun>>> execute(List<Append> commands, int tries) {
      List<List<MessageRow>> messages = commands.stream()
          .map(each -> MessageRow.of(
              each.run(),
              each.events(),
              each.expected() + 1,
              each.now(),
              each.claimOutboxFor(),
              session.ids()))
          .toList();
      return session
          .execute(write, scope, Rows.of(commands, messages))
          .map(StoredEvents::of)
          .compose(stored -> {
            Map<String, CommandOutcome<AppendedRun>> outcomes = new HashMap<>();
            List<Append> lost = new ArrayList<>();
            for (int index = 0; index < commands.size(); index++) {
              Append command = commands.get(index);
              List<MessageRow> written = messages.get(index);
              stored
                  .records(command.runId(), command.expected(), command.events())
                  .ifPresentOrElse(
                      records -> outcomes.put(
                          command.runId(),
                          new CommandOutcome.Succeeded<>(new AppendedRun(
                              command.run(), records, MessageRow.claimed(command.run(), written)))),
                      () -> lost.add(command));
            }
            return decideLost(lost, outcomes, tries)
                .recover(failure -> lost.size() == commands.size()
                    ? Future.failedFuture(failure)
                    : fail(lost, outcomes, failure)) // the others are written
                .map(decided -> commands.stream()
                    .map(command -> Objects.requireNonNull(outcomes.get(command.runId())))
                    .toList());
          });
    }

    private static Future<Void> fail(
        List<Append> lost, Map<String, CommandOutcome<AppendedRun>> outcomes, Throwable failure) {
      RunlaneException ours = PgFailures.of("appendRunEvents", failure);
      lost.forEach(each -> outcomes.putIfAbsent(each.runId(), new CommandOutcome.Failed<>(ours)));
      return Future.succeededFuture();
    }

    private Future<Void> decideLost(
        List<Append> lost, Map<String, CommandOutcome<AppendedRun>> outcomes, int tries) {
      if (lost.isEmpty()) {
        return Future.succeededFuture();
      }
      return positions(lost).compose(positions -> {
        List<Append> again = new ArrayList<>();
        for (Append each : lost) {
          Optional<RunlaneException> failure = failure(each, positions.get(each.runId()));
          if (failure.isEmpty() && tries < MOST_TRIES) {
            again.add(each);
          } else {
            outcomes.put(
                each.runId(),
                new CommandOutcome.Failed<>(failure.orElseGet(() -> RunlaneException.conflict(
                    EVENT_SEQUENCE, "run %s is being changed by others", each.runId()))));
          }
        }
        return again.isEmpty() ? Future.succeededFuture() : retry(again, outcomes, tries + 1);
      });
    }

    private Future<Void> retry(
        List<Append> again, Map<String, CommandOutcome<AppendedRun>> outcomes, int tries) {
      return execute(again, tries).map(retried -> {
        for (int index = 0; index < again.size(); index++) {
          outcomes.put(again.get(index).runId(), retried.get(index));
        }
        return null;
      });
    }

    private Future<Map<String, Position>> positions(List<Append> lost) {
      return session.execute(POSITIONS, scope, lost).map(rows -> {
        Map<String, Position> found = new HashMap<>();
        for (Row row : rows) {
          found.put(
              row.getString(0), new Position(row.getLong(1), row.getString(2), row.getString(3)));
        }
        return found;
      });
    }
  }
}
