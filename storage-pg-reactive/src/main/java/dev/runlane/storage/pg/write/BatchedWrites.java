package dev.runlane.storage.pg.write;

import dev.runlane.postgres.BatchLimits;
import dev.runlane.postgres.BatchStatement;
import dev.runlane.postgres.CommandBatcher;
import dev.runlane.postgres.StatementSlots;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Optional;

/** Commands of the process's callers, gathered by kind. */
public final class BatchedWrites implements Writes {
  private final Vertx vertx;
  private final StatementSlots slots;
  private final BatchLimits bounds;
  private final GatheredCreations creations;
  private final CommandBatcher<Append, AppendedRun> ends;
  private final CommandBatcher<Append, AppendedRun> appends;
  private final CommandBatcher<Acquire, Optional<AppendedRun>> acquisitions;
  private final CommandBatcher<MarkOutboxMessagesPublished, Boolean> marks;

  public BatchedWrites(
      Vertx vertx, StatementSlots slots, BatchLimits bounds, ScopeStatements statements) {
    this.vertx = vertx;
    this.slots = slots;
    this.bounds = bounds;
    this.creations = gathering(statements.creations());
    this.ends = gatherer("appendRunEvents", statements.appends().ends());
    this.appends = gatherer("appendRunEvents", statements.appends().any());
    this.acquisitions = gatherer("claimRunLease", statements.acquisitions());
    this.marks = gatherer("markOutboxMessagesPublished", statements.outbox());
  }

  @Override
  public Future<AppendedRun> create(AppendRunEvents command) {
    return creations.submit(command);
  }

  @Override
  public Future<List<CommandOutcome<AppendedRun>>> createAll(List<AppendRunEvents> commands) {
    return creations.plain().submitAll(commands);
  }

  @Override
  public Future<AppendedRun> append(Append command) {
    return (command.isPlainEnd() ? ends : appends).submit(command);
  }

  @Override
  public Future<Optional<AppendedRun>> acquire(Acquire command) {
    return acquisitions.submit(command);
  }

  @Override
  public Future<Boolean> markPublished(MarkOutboxMessagesPublished command) {
    return marks.submit(command);
  }

  /** Gathers creations beside all that is gathered here. */
  GatheredCreations gathering(Creations statement) {
    return new GatheredCreations(
        gatherer("appendRunEvents", statement),
        gatherer("appendRunEvents", statement),
        gatherer("appendRunEvents", statement));
  }

  private <C, R> CommandBatcher<C, R> gatherer(String operation, BatchStatement<C, R> statement) {
    return new CommandBatcher<>(vertx, slots, operation, statement, bounds);
  }
}
