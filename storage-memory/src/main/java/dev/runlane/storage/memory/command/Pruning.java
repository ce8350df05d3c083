package dev.runlane.storage.memory.command;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.memory.kept.EventLog;
import dev.runlane.storage.memory.kept.KeyOwners;
import dev.runlane.storage.memory.kept.Outbox;
import dev.runlane.storage.memory.kept.PendingSteps;
import dev.runlane.storage.memory.operator.LogLines;
import dev.runlane.storage.memory.run.Position;
import dev.runlane.storage.memory.run.Runs;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import java.time.Instant;
import java.util.List;

/** Removal of old terminal runs with everything that hangs on them. */
public final class Pruning {
  private final Runs runs;
  private final EventLog events;
  private final KeyOwners owners;
  private final Outbox outbox;
  private final PendingSteps steps;
  private final LogLines logLines;

  public Pruning(
      Runs runs,
      EventLog events,
      KeyOwners owners,
      Outbox outbox,
      PendingSteps steps,
      LogLines logLines) {
    this.runs = runs;
    this.events = events;
    this.owners = owners;
    this.outbox = outbox;
    this.steps = steps;
    this.logLines = logLines;
  }

  public PrunedRuns prune(PruneRuns command) {
    Cursors cursors = Cursors.of(command);
    Position after = cursors
        .decode(command.cursor(), 2)
        .map(Position::ofParts)
        .orElse(new Position(Instant.MIN, ""));
    int limit = command.limit() == null ? ContractDefaults.PRUNE_LIMIT : command.limit();
    List<RunRecord> found = runs.ended().all().tailMap(after, false).values().stream()
        .takeWhile(run -> run.updatedAt().isBefore(command.olderThan()))
        .filter(run -> isPrunable(run, command))
        .limit(limit + 1L)
        .toList();
    List<RunRecord> pruned = found.subList(0, Math.min(limit, found.size()));
    pruned.forEach(this::remove);
    String next = found.size() > limit ? cursorAfter(cursors, found.get(limit - 1)) : null;
    return new PrunedRuns(pruned.size(), next);
  }

  private boolean isPrunable(RunRecord run, PruneRuns command) {
    return (command.statuses().isEmpty() || command.statuses().contains(run.status()))
        && !owners.retains(run, command.now());
  }

  private void remove(RunRecord run) {
    runs.remove(run.id());
    events.remove(run.id());
    outbox.removeOf(run.id());
    steps.removeOf(run.id());
    logLines.removeOf(run.id());
    owners.forget(run);
  }

  private static String cursorAfter(Cursors cursors, RunRecord last) {
    return cursors.encode(new Position(last.updatedAt(), last.id()).toParts());
  }
}
