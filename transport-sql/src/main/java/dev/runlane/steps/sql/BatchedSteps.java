package dev.runlane.steps.sql;

import dev.runlane.postgres.BatchLimits;
import dev.runlane.postgres.BatchStatement;
import dev.runlane.postgres.CommandBatcher;
import dev.runlane.postgres.StatementFailures;
import dev.runlane.postgres.StatementSlots;
import dev.runlane.storage.CommandOutcome;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Commands of one kind, gathered into statements. Large ones go alone, so that no statement grows beyond
 * what a connection should carry.
 *
 * @param <C> the command
 * @param <R> its outcome
 */
final class BatchedSteps<C, R> {
  private static final int LARGE_CHARACTERS = 64 * 1024;

  private final CommandBatcher<C, R> small;
  private final CommandBatcher<C, R> large;
  private final ToIntFunction<C> size;

  BatchedSteps(
      Vertx vertx,
      StatementSlots slots,
      BatchLimits bounds,
      StatementFailures failures,
      String operation,
      Function<C, String> stepId,
      ToIntFunction<C> size,
      Function<List<C>, Future<List<R>>> execute) {
    BatchStatement<C, R> statement = new BatchStatement<>() {
      @Override
      public List<String> keys(C command) {
        return List.of(stepId.apply(command));
      }

      @Override
      public long bytes(C command) {
        return size.applyAsInt(command);
      }

      @Override
      public Future<List<CommandOutcome<R>>> execute(List<C> commands) {
        return execute.apply(commands).map(outcomes -> outcomes.stream()
            .map(outcome -> (CommandOutcome<R>) new CommandOutcome.Succeeded<>(outcome))
            .toList());
      }

      @Override
      public StatementFailures failures() {
        return failures;
      }
    };
    this.size = size;
    this.small = new CommandBatcher<>(vertx, slots, operation, statement, bounds);
    this.large = new CommandBatcher<>(
        vertx,
        slots,
        operation,
        statement,
        new BatchLimits(1, bounds.maxPending(), bounds.maxPendingBytes(), bounds.answerTimeout()));
  }

  /** One outcome for each command; fails when one of them does, after all have ended. */
  Future<List<R>> submit(List<C> commands) {
    if (commands.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    List<Future<R>> outcomes = commands.stream()
        .map(each ->
            size.applyAsInt(each) > LARGE_CHARACTERS ? large.submit(each) : small.submit(each))
        .toList();
    return Future.join(outcomes)
        .map(ended -> outcomes.stream().map(Future::result).toList());
  }
}
