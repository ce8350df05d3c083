package dev.runlane.storage.pg;

import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;
import static dev.runlane.run.StorageConflictKind.LEASE_OWNERSHIP;

import dev.runlane.postgres.GatheredStatement;
import dev.runlane.run.DispatchReservation;
import dev.runlane.run.Lease;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.AppendedRun;
import dev.runlane.storage.CommandOutcome;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Appends to runs that exist, many in one statement. Two forms: one for runs that end and have nothing
 * else to write, which is what most runs do most of the time, and one for everything.
 */
final class Appends {
  private static final int MOST_TRIES = 3;

  private final PgSession session;
  private final PgSession.Scope scope;
  private final String end;
  private final String append;
  private final String positions;

  Appends(PgSession session, PgSession.Scope scope) {
    this.session = session;
    this.scope = scope;
    this.end = session.statements().get("end_runs");
    this.append = session.statements().get("append_runs");
    this.positions = session.statements().get("read_positions");
  }

  /** The statement for appends that are plain ends. */
  GatheredStatement<Append, AppendedRun> ends() {
    return new Statement((commands, messages) -> session.execute(end, common(commands)));
  }

  /** The statement for every append. */
  GatheredStatement<Append, AppendedRun> any() {
    return new Statement(this::append);
  }

  private Future<RowSet<Row>> append(List<Append> commands, List<MessageRow> messages) {
    return session.execute(append, everything(commands, messages));
  }

  private static Instant finishedOrUpdatedAt(RunRecord run) {
    return run.finishedAt() == null ? run.updatedAt() : run.finishedAt();
  }

  private Tuple common(List<Append> commands) {
    Tuple parameters = Tuple.tuple().addInteger(scope.env());
    new Columns<>(commands, parameters)
        .texts(Append::runId)
        .numbers(Append::expected)
        .texts(each -> each.run().status().value())
        .numbers(each -> each.run().eventSequence())
        .counts(each -> each.run().counters().attempts())
        .counts(each -> each.run().counters().failures())
        .counts(each -> each.run().counters().retries())
        .counts(each -> each.run().counters().releases())
        .times(each -> each.run().runAt())
        .times(each -> each.run().updatedAt())
        .times(each -> each.run().startedAt())
        .times(each -> finishedOrUpdatedAt(each.run()))
        .texts(each -> RunRows.traceText(each.run().traceCarrier()))
        .texts(each -> RunRows.failureText(each.run().failure()));
    List<EventRow> events = new ArrayList<>();
    commands.forEach(
        each -> events.addAll(EventRow.of(each.runId(), each.expected() + 1, each.events())));
    EventRow.addTo(parameters, events);
    return parameters;
  }

  private Tuple everything(List<Append> commands, List<MessageRow> messages) {
    Tuple parameters = common(commands);
    MessageRow.addTo(parameters, messages);
    new Columns<>(commands, parameters)
        .flags(Append::isEnd)
        .kinds(each -> DueKind.of(each.run()))
        .flags(each -> DueKind.occupies(each.run()))
        .times(each -> DueKind.dueAt(each.run()))
        .texts(each -> lease(each, Lease::token))
        .texts(each -> lease(each, Lease::workerId))
        .times(each -> each.run().lease() == null ? null : each.run().lease().expiresAt())
        .times(each -> reservation(each, DispatchReservation::dispatchedAt))
        .times(each -> reservation(each, DispatchReservation::expiresAt))
        .texts(Append::leaseToken)
        .texts(Append::leaseWorker)
        .texts(each -> awaiting(each.run()))
        .flags(StepChange::isRequesting);
    List<StepChange> changes = new ArrayList<>();
    commands.forEach(each -> changes.addAll(StepChange.of(each)));
    StepChange.addTo(parameters, changes);
    return parameters;
  }

  private static @Nullable String awaiting(RunRecord run) {
    return run.awaiting() == null ? null : run.awaiting().value();
  }

  private static @Nullable String lease(Append append, Function<Lease, String> part) {
    Lease lease = append.run().lease();
    return lease == null ? null : part.apply(lease);
  }

  private static @Nullable Instant reservation(
      Append append, Function<DispatchReservation, Instant> part) {
    DispatchReservation reservation = append.run().reservation();
    return reservation == null ? null : part.apply(reservation);
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

  private record Position(
      long sequence, @Nullable String token, @Nullable String worker) {
    boolean isLeasedAs(Append append) {
      return append.leaseToken() != null
          && append.leaseToken().equals(token)
          && append.leaseWorker() != null
          && append.leaseWorker().equals(worker);
    }
  }

  private final class Statement implements GatheredStatement<Append, AppendedRun> {
    private final BiFunction<List<Append>, List<MessageRow>, Future<RowSet<Row>>> write;

    Statement(BiFunction<List<Append>, List<MessageRow>, Future<RowSet<Row>>> write) {
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
      List<MessageRow> allMessages = messages.stream().flatMap(List::stream).toList();
      return write.apply(commands, allMessages).map(StoredEvents::of).compose(stored -> {
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
        return decideLost(lost, outcomes, tries).map(decided -> commands.stream()
            .map(command -> Objects.requireNonNull(outcomes.get(command.runId())))
            .toList());
      });
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
      Tuple parameters = Tuple.tuple().addInteger(scope.env());
      new Columns<>(lost, parameters).texts(Append::runId);
      return session.execute(positions, parameters).map(rows -> {
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
