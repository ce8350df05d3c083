package dev.runlane.storage.pg.write;

import static dev.runlane.run.StorageConflictKind.QUEUE_CAPACITY;

import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.pg.row.DueKind;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Creations that do more than wait: with a first lease, or ended at once. Rare, so made of the ordinary
 * statements in one transaction: the run is created as its first event leaves it, then claimed or appended
 * to. Nobody else ever sees the state in between.
 */
public final class FirstLeases {
  private FirstLeases() {}

  public static boolean isNeededFor(AppendRunEvents command) {
    return command.projectedRun().lease() != null
        || command.projectedRun().counters().attempts() > 0
        || command.projectedRun().reservation() != null
        || command.projectedRun().status().isTerminal();
  }

  /** What must be seen to before the transaction begins, on another connection. */
  public static Future<Void> prepare(Acquisitions acquisitions, AppendRunEvents command) {
    return command.projectedRun().lease() == null
        ? Future.succeededFuture()
        : acquisitions.prepare(List.of(claim(command)));
  }

  /** Must be called with writes that belong to one transaction; a failed future rolls it back. */
  public static Future<AppendedRun> create(DirectWrites writes, AppendRunEvents command) {
    return writes.create(creationOnly(command)).compose(created -> continued(writes, command)
        .map(more ->
            new AppendedRun(command.projectedRun(), joined(created, more), more.claimedOutbox())));
  }

  private static AppendRunEvents creationOnly(AppendRunEvents command) {
    return new AppendRunEvents(
        command.environment(),
        command.runId(),
        0,
        List.of(command.events().get(0)),
        created(command),
        command.queuePolicy(),
        command.now(),
        null);
  }

  private static RunRecord created(AppendRunEvents command) {
    return RunReducer.projectRunEvents(null, 0, List.of(command.events().get(0)));
  }

  private static Future<AppendedRun> continued(DirectWrites writes, AppendRunEvents command) {
    return command.projectedRun().lease() == null
        ? writes.append(new Append(
            command.runId(),
            1,
            rest(command),
            command.projectedRun(),
            null,
            null,
            command.now(),
            command.claimOutboxFor()))
        : writes.acquireAfterWaiting(claim(command)).compose(acquired -> orFull(command, acquired));
  }

  private static Acquire claim(AppendRunEvents command) {
    QueuePolicy policy = Objects.requireNonNull(command.queuePolicy());
    return new Acquire(
        command.runId(),
        1,
        rest(command),
        command.projectedRun(),
        false,
        policy,
        DueKind.dueAt(created(command)),
        command.now());
  }

  private static List<RunEvent> rest(AppendRunEvents command) {
    return command.events().subList(1, command.events().size());
  }

  private static Future<AppendedRun> orFull(
      AppendRunEvents command, Optional<AppendedRun> acquired) {
    return acquired
        .map(Future::succeededFuture)
        .orElseGet(() -> Future.failedFuture(RunlaneException.conflict(
            QUEUE_CAPACITY,
            "queue %s has no free slot for run %s",
            command.projectedRun().queue(),
            command.runId())));
  }

  private static List<RunEventRecord> joined(AppendedRun created, AppendedRun more) {
    List<RunEventRecord> events = new ArrayList<>(created.events());
    events.addAll(more.events());
    return events;
  }
}
