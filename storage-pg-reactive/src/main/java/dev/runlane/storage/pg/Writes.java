package dev.runlane.storage.pg;

import dev.runlane.storage.AppendRunEvents;
import dev.runlane.storage.AppendedRun;
import dev.runlane.storage.MarkOutboxMessagesPublished;
import io.vertx.core.Future;
import java.util.Optional;

/** The commands that may share statements with others, and how they are sent. */
interface Writes {
  /** Creates a run that nobody leases yet. */
  Future<AppendedRun> create(AppendRunEvents command);

  /** Appends to a run that exists. */
  Future<AppendedRun> append(Append command);

  /** Claims a lease or reserves dispatch. */
  Future<Optional<AppendedRun>> acquire(Acquire command);

  /** Deletes published outbox messages. */
  Future<Boolean> markPublished(MarkOutboxMessagesPublished command);
}
