package dev.runlane.storage.pg.row;

import dev.runlane.json.record.RunEventJson;
import dev.runlane.json.record.RunRecordJson;
import dev.runlane.json.record.TraceCarrierJson;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.run.Awaiting;
import dev.runlane.run.DispatchReservation;
import dev.runlane.run.Environment;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.RunCounters;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows of runs, events and candidates as records; each method reads the columns its statements name. */
public final class RunRows {
  /** Who has a run, or may soon: its lease and its reservation. */
  public static final Columns<RunRecord> OWNERSHIP = new Columns<RunRecord>()
      .of(
          RunRecord::lease,
          new Columns<@Nullable Lease>()
              .texts("lease_tokens", lease -> lease == null ? null : lease.token())
              .texts("lease_workers", lease -> lease == null ? null : lease.workerId())
              .times("lease_expires_times", lease -> lease == null ? null : lease.expiresAt()))
      .of(
          RunRecord::reservation,
          new Columns<@Nullable DispatchReservation>()
              .times("dispatched_times", held -> held == null ? null : held.dispatchedAt())
              .times("dispatch_expires_times", held -> held == null ? null : held.expiresAt()));

  private RunRows() {}

  /** Reads the 24 columns of a run, from {@code run_id} to the bodies of its first and last event. */
  public static RunRecord run(Environment environment, RowReader row) {
    String id = row.text();
    row.skip(2); // task and queue are in the body
    RunStatus status = status(row.text());
    long sequence = row.number();
    RunCounters counters = counters(row);
    Instant runAt = row.timeOrNull();
    Instant createdAt = row.time();
    Instant updatedAt = row.time();
    Instant startedAt = row.timeOrNull();
    Instant finishedAt = row.timeOrNull();
    Lease lease = lease(row.textOrNull(), row.textOrNull(), row.timeOrNull());
    DispatchReservation reservation = reservation(row.timeOrNull(), row.timeOrNull());
    Map<String, String> trace = trace(row.jsonOrNull());
    FailureRecord failure = failure(row.jsonOrNull());
    Awaiting awaiting = awaiting(status, row.textOrNull());
    return RunRecord.builder(created(environment, id, createdAt, row.json()))
        .status(status)
        .eventSequence(sequence)
        .counters(counters)
        .runAt(runAt)
        .traceCarrier(trace)
        .lease(lease)
        .reservation(reservation)
        .awaiting(awaiting)
        .failure(failure)
        .output(output(environment, id, updatedAt, row.jsonOrNull()))
        .updatedAt(updatedAt)
        .startedAt(startedAt)
        .finishedAt(finishedAt)
        .build();
  }

  /** The same columns of a run that was claimed: what the claim wrote, while all else is as {@code before} it. */
  public static RunRecord claimed(RowReader row, RunRecord before) {
    row.skip(3);
    RunStatus status = status(row.text());
    long sequence = row.number();
    int attempts = row.count();
    row.skip(5);
    Instant updatedAt = row.time();
    Instant startedAt = row.timeOrNull();
    row.skip(1);
    Lease lease = lease(row.textOrNull(), row.textOrNull(), row.timeOrNull());
    DispatchReservation reservation = reservation(row.timeOrNull(), row.timeOrNull());
    row.skip(1);
    RunCounters counters = before.counters();
    return before.toBuilder()
        .status(status)
        .eventSequence(sequence)
        .counters(
            new RunCounters(attempts, counters.failures(), counters.retries(), counters.releases()))
        .lease(lease)
        .reservation(reservation)
        .failure(failure(row.jsonOrNull()))
        .awaiting(awaiting(status, row.textOrNull()))
        .updatedAt(updatedAt)
        .startedAt(startedAt)
        .build();
  }

  /** Reads the 19 columns of a run in a list. */
  public static RunSummary summary(RowReader row) {
    String id = row.text();
    String taskId = row.text();
    String queue = row.text();
    RunStatus status = status(row.text());
    long sequence = row.number();
    RunCounters counters = counters(row);
    Instant runAt = row.timeOrNull();
    Instant createdAt = row.time();
    Instant updatedAt = row.time();
    Instant startedAt = row.timeOrNull();
    Instant finishedAt = row.timeOrNull();
    return new RunSummary(
        id,
        taskId,
        queue,
        status,
        sequence,
        counters,
        runAt,
        row.textOrNull(),
        row.textOrNull(),
        row.textOrNull(),
        row.textOrNull(),
        failure(row.jsonOrNull()),
        createdAt,
        updatedAt,
        startedAt,
        finishedAt);
  }

  public static RunnableRunRef ref(RowReader row) {
    return new RunnableRunRef(
        row.text(),
        row.text(),
        row.text(),
        row.textOrNull(),
        status(row.text()),
        row.number(),
        row.time());
  }

  /** Reads {@code run_id, sequence, event_id, type, occurred_at, body}. */
  static RunEventRecord event(Environment environment, RowReader row) {
    String runId = row.text();
    long sequence = row.number();
    String id = String.valueOf(row.number());
    String type = row.text();
    return new RunEventRecord(
        id, sequence, RunEventJson.readBody(environment, runId, type, row.time(), row.json()));
  }

  static @Nullable public Map<String, String> trace(@Nullable Json json) {
    return json == null ? null : TraceCarrierJson.read(json);
  }

  static @Nullable public FailureRecord failure(@Nullable Json json) {
    return json == null ? null : RunRecordJson.readFailure(json);
  }

  static @Nullable public String traceText(@Nullable Map<String, String> carrier) {
    return carrier == null ? null : TraceCarrierJson.write(carrier).text();
  }

  static @Nullable public String failureText(@Nullable FailureRecord failure) {
    return failure == null ? null : RunRecordJson.write(failure).text();
  }

  private static RunCounters counters(RowReader row) {
    return new RunCounters(row.count(), row.count(), row.count(), row.count());
  }

  static RunStatus status(String value) {
    return RunStatus.ofValue(value)
        .orElseThrow(() ->
            RunlaneException.invariantViolation("stored run has the unknown status %s", value));
  }

  /** Means something while a run is released; see the column's migration. Null where a later release wrote another. */
  private static @Nullable Awaiting awaiting(RunStatus status, @Nullable String value) {
    return status != RunStatus.RELEASED || value == null
        ? null
        : Awaiting.ofValue(value).orElse(null);
  }

  private static @Nullable Lease lease(
      @Nullable String token, @Nullable String worker, @Nullable Instant expiresAt) {
    return token == null || worker == null || expiresAt == null
        ? null
        : new Lease(token, worker, expiresAt);
  }

  private static @Nullable DispatchReservation reservation(
      @Nullable Instant dispatchedAt, @Nullable Instant expiresAt) {
    return dispatchedAt == null || expiresAt == null
        ? null
        : new DispatchReservation(dispatchedAt, expiresAt);
  }

  private static RunEvent.Created created(
      Environment environment, String runId, Instant at, Json body) {
    return (RunEvent.Created)
        RunEventJson.readBody(environment, runId, RunEventType.CREATED.value(), at, body);
  }

  private static @Nullable Json output(
      Environment environment, String runId, Instant at, @Nullable Json body) {
    if (body == null) {
      return null;
    }
    RunEvent event =
        RunEventJson.readBody(environment, runId, RunEventType.SUCCEEDED.value(), at, body);
    return ((RunEvent.Succeeded) event).output();
  }
}
