package dev.runlane.storage.memory.operator;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.FinishAction;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.action.PruneActions;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.run.Identifiers;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.memory.kept.Pages;
import dev.runlane.storage.memory.run.Position;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Processes, pauses, actions and the latest sample of one environment. */
public final class OperatorRecords {
  private final NavigableMap<String, KnownProcess> processes = new TreeMap<>(Identifiers.ORDER);
  private final NavigableMap<String, PausedQueue> paused = new TreeMap<>(Identifiers.ORDER);
  private final NavigableMap<Position, OperatorAction> actions = new TreeMap<>();
  private final Map<String, Position> positions = new HashMap<>(); // of actions
  private @Nullable DepthSample sample;

  public void signOfLife(SignOfLife command) {
    Instant kept = command.now().minus(OperatorStore.GONE_KEPT);
    processes.values().removeIf(each -> each.lastSeen().isBefore(kept));
    processes.put(
        command.process().processId(), new KnownProcess(command.process(), command.now()));
  }

  public void endProcess(String processId) {
    processes.remove(processId);
  }

  public Optional<KnownProcess> process(String processId) {
    return Optional.ofNullable(processes.get(processId));
  }

  public Page<KnownProcess> processes(ListProcesses query) {
    Cursors cursors = Cursors.of(query);
    NavigableMap<String, KnownProcess> behind = cursors
        .decode(query.cursor(), 1)
        .map(after -> processes.tailMap(after.get(0), false))
        .orElse(processes);
    return Pages.of(
        behind.values().stream(),
        query.limit(),
        last -> cursors.encode(last.process().processId()));
  }

  public boolean pause(PauseQueue command) {
    return paused.putIfAbsent(
            command.queue(),
            new PausedQueue(command.queue(), command.actor(), command.reason(), command.now()))
        == null;
  }

  public boolean resume(String queue) {
    return paused.remove(queue) != null;
  }

  public boolean isPaused(String queue) {
    return paused.containsKey(queue);
  }

  public List<PausedQueue> paused() {
    return List.copyOf(paused.values());
  }

  public boolean sample(TakeSample command, Supplier<DepthSample> counted) {
    if (sample != null
        && sample.takenAt().isAfter(command.now().minus(command.every()))
        && !sample.takenAt().isAfter(command.now().plus(command.every()))) {
      return false;
    }
    sample = counted.get();
    return true;
  }

  public Optional<DepthSample> sample() {
    return Optional.ofNullable(sample);
  }

  public void record(RecordAction command) {
    Position position = new Position(command.now(), command.id());
    if (positions.putIfAbsent(command.id(), position) == null) {
      actions.put(
          position,
          new OperatorAction(
              command.id(),
              command.actor(),
              command.action(),
              command.target(),
              command.reason(),
              command.now(),
              null,
              null,
              null));
    }
  }

  public boolean finish(FinishAction command) {
    Position position = positions.get(command.id());
    OperatorAction begun = position == null ? null : actions.get(position);
    if (position == null || begun == null || begun.endedAt() != null) {
      return false;
    }
    actions.put(
        position,
        new OperatorAction(
            begun.id(),
            begun.actor(),
            begun.action(),
            begun.target(),
            begun.reason(),
            begun.at(),
            command.succeeded(),
            command.result(),
            command.now()));
    return true;
  }

  public int prune(PruneActions command) {
    List<OperatorAction> old =
        actions.headMap(new Position(command.olderThan(), "")).values().stream()
            .limit(command.limit())
            .toList();
    for (OperatorAction each : old) {
      actions.remove(new Position(each.at(), each.id()));
      positions.remove(each.id());
    }
    return old.size();
  }

  public Page<OperatorAction> actions(ListActions query) {
    Cursors cursors = Cursors.of(query);
    NavigableMap<Position, OperatorAction> latestFirst = actions.descendingMap();
    NavigableMap<Position, OperatorAction> behind = cursors
        .decode(query.cursor(), 2)
        .map(after -> latestFirst.tailMap(Position.ofParts(after), false))
        .orElse(latestFirst);
    return Pages.of(
        behind.values().stream().filter(query.filter()::admits),
        query.limit(),
        last -> cursors.encode(new Position(last.at(), last.id()).toParts()));
  }
}
