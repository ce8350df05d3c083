package dev.runlane.storage.pg.write;

import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Gathered commands, of which creations wake for themselves instead of writing outbox messages. */
public final class WakingWrites implements Writes {
  private final Writes others;
  private final GatheredCreations creations;

  /**
   * Beside the writes of the same environment.
   *
   * @param wakes is told of runs that were created and are due
   */
  public WakingWrites(
      BatchedWrites others, ScopeStatements statements, Consumer<List<DeliveryMessage>> wakes) {
    this.others = others;
    creations = others.gathering(statements.creations().waking(wakes));
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
    return others.append(command);
  }

  @Override
  public Future<Optional<AppendedRun>> acquire(Acquire command) {
    return others.acquire(command);
  }

  @Override
  public Future<Boolean> markPublished(MarkOutboxMessagesPublished command) {
    return others.markPublished(command);
  }
}
