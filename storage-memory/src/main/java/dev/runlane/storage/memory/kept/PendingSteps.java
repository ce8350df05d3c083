package dev.runlane.storage.memory.kept;

import dev.runlane.operator.depth.StepDepth;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StepIds;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.memory.run.Position;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The pending steps of one environment: what its runs' events make of them, and who looks after them. */
public final class PendingSteps {
  private final Map<String, NavigableMap<Integer, Row>> rowsOfRuns = new HashMap<>();
  private final NavigableMap<Position, Row> byNext = new TreeMap<>();
  private final Ids ids;

  public PendingSteps(Ids ids) {
    this.ids = ids;
  }

  /** Does what the events of a run say, which is like {@code projected} after them. */
  public void follow(RunRecord projected, List<? extends RunEvent> facts) {
    boolean ended = projected.status().isTerminal();
    for (RunEvent fact : facts) {
      if (fact instanceof RunEvent.StepRequested request && request.isRemote() && !ended) {
        put(new Row(pending(request), null));
      } else if (fact instanceof RunEvent.StepCompleted result) {
        remove(find(projected.id(), result.stepId()));
      }
    }
    if (ended) {
      List.copyOf(rowsOf(projected.id()).values())
          .forEach(row -> put(row.ended(projected.updatedAt())));
    }
  }

  /** Removes what a run left that is pruned. */
  public void removeOf(String runId) {
    List.copyOf(rowsOf(runId).values()).forEach(this::remove);
  }

  public List<ClaimedStep> claim(ClaimDueSteps command) {
    String token = ids.token();
    Instant end = command.now().plus(command.claimFor());
    List<Row> due = byNext.headMap(Position.justAfter(command.now()), false).values().stream()
        .limit(command.limit())
        .toList();
    return due.stream()
        .map(row -> put(row.claimed(token, end)))
        .map(row -> new ClaimedStep(token, row.step))
        .toList();
  }

  public Set<String> move(ReschedulePendingSteps command) {
    Set<String> moved = new LinkedHashSet<>();
    for (ReschedulePendingSteps.NextCheck move : command.moves()) {
      Row row = find(move.runId(), move.stepId());
      if (row != null && move.token().equals(row.token)) {
        put(row.moved(move.checkAt(), move.dispatchedAt()));
        moved.add(move.stepId());
      }
    }
    return moved;
  }

  public Set<String> forget(RemovePendingSteps command) {
    Set<String> forgotten = new LinkedHashSet<>();
    for (RemovePendingSteps.Removal step : command.steps()) {
      Row row = find(step.runId(), step.stepId());
      if (row != null && row.step.runEnded() && step.token().equals(row.token)) {
        remove(row);
        forgotten.add(step.stepId());
      }
    }
    return forgotten;
  }

  public boolean retry(RetryStep command) {
    Row row = find(command.runId(), command.stepId());
    if (row == null || row.step.runEnded() || row.step.attempt() != command.attempt()) {
      return false;
    }
    put(row.retried(command.resultAt(), command.nextAt()));
    return true;
  }

  public List<PendingStep> list(ListPendingSteps query) {
    return rowsOf(query.runId()).values().stream()
        .map(row -> row.step)
        .filter(step -> query.stepId() == null || query.stepId().equals(step.stepId()))
        .toList();
  }

  /** Those of a run, or of all, by their ids. */
  public Page<WaitingStep> page(ListSteps query) {
    Cursors cursors = Cursors.of(query);
    String after = cursors.decode(query.cursor(), 1).map(found -> found.get(0)).orElse("");
    Collection<Row> rows =
        query.runId() == null ? byNext.values() : rowsOf(query.runId()).values();
    return Pages.of(
        rows.stream()
            .map(row -> waiting(row.step))
            .filter(step -> query.group() == null || query.group().equals(step.group()))
            .filter(step -> Identifiers.ORDER.compare(step.id(), after) > 0)
            .sorted(Comparator.comparing(WaitingStep::id, Identifiers.ORDER)),
        query.limit(),
        last -> cursors.encode(last.id()));
  }

  /** Groups with steps of active runs, by their names. */
  public List<StepGroup> groups() {
    Map<String, StepGroup> groups = new TreeMap<>(Identifiers.ORDER);
    byNext.values().stream()
        .map(row -> waiting(row.step))
        .filter(step -> !step.runEnded())
        .forEach(step -> groups.merge(step.group(), groupOf(step), PendingSteps::together));
    return List.copyOf(groups.values());
  }

  private static WaitingStep waiting(PendingStep step) {
    RunEvent.StepRequested request = step.request();
    return new WaitingStep(
        step.stepId(),
        step.runId(),
        request.name(),
        Objects.requireNonNull(request.group()),
        step.attempt(),
        request.header().occurredAt(),
        step.dispatchedAt(),
        step.nextAt(),
        Objects.requireNonNull(request.dispatch()).deadlineAt(),
        step.runEnded());
  }

  private static StepGroup groupOf(WaitingStep step) {
    return new StepGroup(
        step.group(),
        1,
        step.dispatchedAt() == null ? 0 : 1,
        step.attempt(),
        step.requestedAt(),
        step.deadlineAt());
  }

  private static StepGroup together(StepGroup one, StepGroup other) {
    return new StepGroup(
        one.group(),
        one.waiting() + other.waiting(),
        one.dispatched() + other.dispatched(),
        Math.max(one.mostAttempts(), other.mostAttempts()),
        earlier(
            Objects.requireNonNull(one.oldestRequestedAt()),
            Objects.requireNonNull(other.oldestRequestedAt())),
        earlier(one.firstDeadlineAt(), other.firstDeadlineAt()));
  }

  private static Instant earlier(Instant one, Instant other) {
    return other.isBefore(one) ? other : one;
  }

  /** What waits in each group, by their names. */
  public List<StepDepth> depths(Instant now) {
    Map<String, StepDepth> depths = new TreeMap<>(Identifiers.ORDER);
    byNext.values().stream()
        .map(row -> row.step)
        .filter(step -> !step.runEnded())
        .forEach(step -> {
          Instant since = step.dispatchedAt() == null ? step.nextAt() : step.dispatchedAt();
          if (step.dispatchedAt() != null || !since.isAfter(now)) {
            String group = Objects.requireNonNull(step.request().group());
            depths.merge(group, new StepDepth(group, 1, since), PendingSteps::sum);
          }
        });
    return List.copyOf(depths.values());
  }

  private static StepDepth sum(StepDepth one, StepDepth other) {
    return new StepDepth(
        one.group(),
        one.waiting() + other.waiting(),
        other.oldestAt().isBefore(one.oldestAt()) ? other.oldestAt() : one.oldestAt());
  }

  private static PendingStep pending(RunEvent.StepRequested request) {
    return new PendingStep(
        request, request.attempt(), request.header().occurredAt(), null, null, false);
  }

  private NavigableMap<Integer, Row> rowsOf(String runId) {
    return rowsOfRuns.getOrDefault(runId, new TreeMap<>());
  }

  private @Nullable Row find(String runId, String stepId) {
    return rowsOf(runId).get(position(runId, stepId));
  }

  private Row put(Row row) {
    remove(find(row.step.runId(), row.step.stepId()));
    rowsOfRuns
        .computeIfAbsent(row.step.runId(), run -> new TreeMap<>())
        .put(position(row.step.runId(), row.step.stepId()), row);
    byNext.put(row.position(), row);
    return row;
  }

  private void remove(@Nullable Row row) {
    if (row == null) {
      return;
    }
    String runId = row.step.runId();
    NavigableMap<Integer, Row> ofRun = Objects.requireNonNull(rowsOfRuns.get(runId));
    ofRun.remove(position(runId, row.step.stepId()));
    if (ofRun.isEmpty()) {
      rowsOfRuns.remove(runId);
    }
    byNext.remove(row.position());
  }

  private static int position(String runId, String stepId) {
    return StepIds.position(runId, stepId).orElse(-1);
  }

  /** A step and the token of its claim. */
  private record Row(PendingStep step, @Nullable String token) {
    Position position() {
      return new Position(step.nextAt(), step.stepId());
    }

    Row claimed(String by, Instant until) {
      return with(
          step.attempt(), until, step.dispatchedAt(), step.lastResultAt(), step.runEnded(), by);
    }

    Row moved(Instant nextAt, @Nullable Instant dispatchedAt) {
      return with(step.attempt(), nextAt, dispatchedAt, step.lastResultAt(), step.runEnded(), null);
    }

    Row retried(Instant resultAt, Instant nextAt) {
      return with(step.attempt() + 1, nextAt, null, resultAt, false, null);
    }

    Row ended(Instant at) {
      return with(step.attempt(), at, step.dispatchedAt(), step.lastResultAt(), true, null);
    }

    private Row with(
        int attempt,
        Instant nextAt,
        @Nullable Instant dispatchedAt,
        @Nullable Instant lastResultAt,
        boolean runEnded,
        @Nullable String by) {
      return new Row(
          new PendingStep(step.request(), attempt, nextAt, dispatchedAt, lastResultAt, runEnded),
          by);
    }
  }
}
