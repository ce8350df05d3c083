package dev.runlane.storage.run;

import dev.runlane.run.RunRecord;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.RunEventRecord;
import java.util.List;
import java.util.Objects;

/**
 * What a successful append, claim, heartbeat or reservation stored.
 *
 * @param run the run after it
 * @param events the rows of the history, with the ids and sequences under which they are stored
 * @param claimedOutbox the outbox messages the append claimed for its caller; empty unless it asked to
 */
public record AppendedRun(
    RunRecord run, List<RunEventRecord> events, List<ClaimedOutboxMessage> claimedOutbox) {
  /** Copies the lists and refuses null. */
  public AppendedRun {
    Objects.requireNonNull(run);
    events = List.copyOf(events);
    claimedOutbox = List.copyOf(claimedOutbox);
  }
}
