package dev.runlane.storage.pg.write;

import dev.runlane.postgres.PgFailures;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** The commands that may share statements with others, and how they are sent. */
public interface Writes {
  /** Creates a run that nobody leases yet. */
  Future<AppendedRun> create(AppendRunEvents command);

  /** The same for many runs without keys, each of another id; outcomes in their order, never failed. */
  default Future<List<CommandOutcome<AppendedRun>>> createAll(List<AppendRunEvents> commands) {
    List<Future<CommandOutcome<AppendedRun>>> created = commands.stream()
        .map(command -> create(command)
            .<CommandOutcome<AppendedRun>>map(CommandOutcome.Succeeded::new)
            .otherwise(failure -> new CommandOutcome.Failed<>(PgFailures.of("appendAll", failure))))
        .toList();
    return Future.join(created).map(all -> all.list());
  }

  /** Appends to a run that exists. */
  Future<AppendedRun> append(Append command);

  /** Claims a lease or reserves dispatch. */
  Future<Optional<AppendedRun>> acquire(Acquire command);

  /** Deletes published outbox messages. */
  Future<Boolean> markPublished(MarkOutboxMessagesPublished command);
}
