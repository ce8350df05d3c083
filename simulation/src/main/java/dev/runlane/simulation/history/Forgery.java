package dev.runlane.simulation.history;

import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import dev.runlane.run.StepDispatch;
import dev.runlane.simulation.history.StoredState.Effect;
import dev.runlane.simulation.history.StoredState.OutboxRow;
import dev.runlane.simulation.history.StoredState.PartitionUse;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes histories by hand: every call appends one event with the next id, a second after the one before.
 * Without further ado the state that comes out keeps every promise, effects and outbox included.
 */
public final class Forgery {
  public static final Environment SCOPE = new Environment("forged");

  private static final Duration LEASE = Duration.ofSeconds(30);

  public final List<OutboxRow> outbox = new ArrayList<>();
  public final List<Effect> effects = new ArrayList<>();
  public final List<PartitionUse> partitions = new ArrayList<>();

  private final Map<String, List<RunEventRecord>> events = new LinkedHashMap<>();
  private final Map<String, RunRecord> stored = new LinkedHashMap<>();
  private final Map<String, String> queues = new LinkedHashMap<>();
  private Instant now = Instant.parse("2026-01-01T12:00:00Z");
  private long lastId;

  public Forgery created(String runId, String queue, RunKeys keys) {
    return created(runId, queue, keys, "1");
  }

  public Forgery created(String runId, String queue, RunKeys keys, String payload) {
    queues.put(runId, queue);
    return append(
        runId,
        new RunEvent.Created(
            header(runId), "task", queue, Json.ofChecked(payload), null, keys, RunSource.TRIGGER));
  }

  public Forgery requested(String runId) {
    return requested(runId, null);
  }

  public Forgery reserved(String runId, Duration timeout) {
    return requested(runId, timeout);
  }

  private Forgery requested(String runId, @Nullable Duration timeout) {
    EventHeader header = header(runId);
    append(
        runId,
        new RunEvent.DeliveryRequested(
            header,
            new DeliveryIntent(
                SCOPE,
                runId,
                Objects.requireNonNull(queues.get(runId)),
                header.occurredAt(),
                header.occurredAt(),
                timeout == null ? null : header.occurredAt().plus(timeout),
                null)));
    outbox.add(new OutboxRow(runId, history(runId).size(), 1, 1));
    return this;
  }

  /** Claims the run and starts an attempt, which leaves its effect. */
  public Forgery started(String runId, int attempt) {
    EventHeader header = header(runId);
    append(
        runId,
        new RunEvent.LeaseClaimed(
            header, new Lease("tok-" + lastId, "worker", header.occurredAt().plus(LEASE))));
    effects.add(new Effect(runId, attempt));
    return append(runId, new RunEvent.Started(header(runId), attempt));
  }

  public Forgery succeeded(String runId, int attempt) {
    return append(runId, new RunEvent.Succeeded(header(runId), attempt, null));
  }

  public Forgery failed(String runId, int attempt) {
    FailureRecord failure = new FailureRecord(ErrorCode.TASK_FAILED, "forged", false, null);
    return append(runId, new RunEvent.Failed(header(runId), attempt, failure));
  }

  public Forgery released(String runId, int attempt) {
    return released(runId, attempt, Duration.ZERO);
  }

  public Forgery released(String runId, int attempt, Duration pause) {
    EventHeader header = header(runId);
    return append(
        runId, new RunEvent.Released(header, attempt, header.occurredAt().plus(pause), null));
  }

  /** A heartbeat that names another worker than that of the lease. */
  public Forgery renewedByAnother(String runId) {
    EventHeader header = header(runId);
    return append(
        runId,
        new RunEvent.LeaseHeartbeat(
            header, new Lease("tok", "another worker", header.occurredAt().plus(LEASE))));
  }

  public Forgery cancelled(String runId) {
    return append(runId, new RunEvent.Cancelled(header(runId), null));
  }

  /** Asks workers of other programs for a step. */
  public Forgery asked(String runId, String stepId) {
    EventHeader header = header(runId);
    Instant deadline = header.occurredAt().plus(LEASE);
    return append(
        runId,
        new RunEvent.StepRequested(
            header,
            stepId,
            "step",
            "group",
            null,
            1,
            null,
            new StepDispatch(deadline, 1, LEASE, LEASE, 0)));
  }

  /** Begins a step that the owner of the run does. */
  public Forgery begun(String runId, String stepId) {
    return append(
        runId,
        new RunEvent.StepRequested(header(runId), stepId, "step", null, null, 1, null, null));
  }

  /** The result of a step. */
  public Forgery answered(String runId, String stepId) {
    return append(runId, new RunEvent.StepCompleted(header(runId), stepId, 1, null, null, null));
  }

  /** Lets time pass. */
  public Forgery after(Duration passed) {
    now = now.plus(passed);
    return this;
  }

  /** When the last event occurred. */
  public Instant now() {
    return now;
  }

  /** Leaves out the id that comes next, or goes back to one. */
  public Forgery nextId(long id) {
    lastId = id - 1;
    return this;
  }

  /** Removes an event as if it had never been written. */
  public Forgery without(String runId, int sequence) {
    history(runId).removeIf(row -> row.sequence() == sequence);
    return this;
  }

  /** Replaces a projection. */
  public Forgery storing(RunRecord run) {
    stored.put(run.id(), run);
    return this;
  }

  public RunRecord projected(String runId) {
    return RunReducer.projectRunEvents(
        null, 0, history(runId).stream().map(RunEventRecord::event).toList());
  }

  public StoredState state() {
    List<RunHistory> histories = new ArrayList<>();
    events.forEach((runId, rows) -> {
      RunRecord kept = stored.get(runId);
      histories.add(new RunHistory(kept == null ? projected(runId) : kept, rows));
    });
    return new StoredState(histories, outbox, partitions, effects);
  }

  private EventHeader header(String runId) {
    now = now.plusSeconds(1);
    return EventHeader.bySystem(SCOPE, runId, now);
  }

  private Forgery append(String runId, RunEvent event) {
    List<RunEventRecord> rows = history(runId);
    long sequence = rows.isEmpty() ? 1 : rows.get(rows.size() - 1).sequence() + 1;
    rows.add(new RunEventRecord(Long.toString(++lastId), sequence, event));
    return this;
  }

  private List<RunEventRecord> history(String runId) {
    return events.computeIfAbsent(runId, first -> new ArrayList<>());
  }
}
