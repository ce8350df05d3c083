package dev.runlane.storage.pg.write;

import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.util.Optional;

/** The commands that may share statements with others, and how they are sent. */
public interface Writes {
  /** Creates a run that nobody leases yet. */
  Future<AppendedRun> create(AppendRunEvents command);

  /** Appends to a run that exists. */
  Future<AppendedRun> append(Append command);

  /** Claims a lease or reserves dispatch. */
  Future<Optional<AppendedRun>> acquire(Acquire command);

  /** Deletes published outbox messages. */
  Future<Boolean> markPublished(MarkOutboxMessagesPublished command);
}
