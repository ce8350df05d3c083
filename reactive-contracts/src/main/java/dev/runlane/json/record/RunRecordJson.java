package dev.runlane.json.record;

import dev.runlane.json.JsonWriter;
import dev.runlane.run.DispatchReservation;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunCounters;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.RunSummary;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Run records and summaries as JSON. */
public final class RunRecordJson {
  private RunRecordJson() {}

  /** The record with every field that is present, the lease's token included. */
  public static Json write(RunRecord run) {
    JsonWriter writer = new JsonWriter();
    writer.text("id", run.id());
    writer.object("environment", fields -> fields.text("name", run.environment().name()));
    writer.text("taskId", run.taskId());
    writer.text("queue", run.queue());
    writer.json("payload", run.payload());
    writer.text("status", run.status().value());
    writer.number("eventSequence", run.eventSequence());
    counters(writer, run.counters());
    writer.instant("runAt", run.runAt());
    RecordFields.keys(writer, run.keys());
    RecordFields.source(writer, run.source());
    writer.texts("traceCarrier", run.traceCarrier());
    writer.json("meta", run.meta());
    RecordFields.lease(writer, run.lease());
    if (run.reservation() != null) {
      writer.instant("dispatchedAt", run.reservation().dispatchedAt());
      writer.instant("dispatchExpiresAt", run.reservation().expiresAt());
    }
    RecordFields.awaiting(writer, run.awaiting());
    RecordFields.failureOrNull(writer, run.failure());
    writer.json("output", run.output());
    times(writer, run.createdAt(), run.updatedAt(), run.startedAt(), run.finishedAt());
    return Json.ofChecked(writer.end());
  }

  /** Reads what {@link #write(RunRecord)} wrote. Fails with {@code InvariantViolation} on anything else. */
  public static RunRecord read(Json json) {
    JsonObjectText object = JsonObjectText.of("run", json.text());
    JsonObjectText counters = object.object("counters");
    JsonObjectText lease = object.objectOrNull("lease");
    Instant dispatchedAt = object.instantOrNull("dispatchedAt");
    String status = object.text("status");
    EventHeader header = EventHeader.bySystem(
            RecordFields.environment(object.object("environment")),
            object.text("id"),
            object.instant("createdAt"))
        .withTrace(object.textsOrNull("traceCarrier"))
        .withMeta(object.jsonOrNull("meta"));
    return RunRecord.builder(new RunEvent.Created(
            header,
            object.text("taskId"),
            object.text("queue"),
            object.json("payload"),
            object.instantOrNull("runAt"),
            RecordFields.keys(object),
            RecordFields.source(object.object("source"))))
        .status(RunStatus.ofValue(status)
            .orElseThrow(() -> object.unreadable("unknown status " + status)))
        .eventSequence(object.number("eventSequence"))
        .counters(new RunCounters(
            counters.count("attempts"),
            counters.count("failures"),
            counters.count("retries"),
            counters.count("releases")))
        .lease(lease == null ? null : RecordFields.lease(lease))
        .reservation(
            dispatchedAt == null
                ? null
                : new DispatchReservation(dispatchedAt, object.instant("dispatchExpiresAt")))
        .awaiting(RecordFields.awaitingOrNull(object))
        .failure(RecordFields.failureOrNull(object.objectOrNull("failure")))
        .output(object.jsonOrNull("output"))
        .updatedAt(object.instant("updatedAt"))
        .startedAt(object.instantOrNull("startedAt"))
        .finishedAt(object.instantOrNull("finishedAt"))
        .build();
  }

  /** The summary with every field that is present. */
  public static Json write(RunSummary run) {
    JsonWriter writer = new JsonWriter();
    writer.text("id", run.id());
    writer.text("taskId", run.taskId());
    writer.text("queue", run.queue());
    writer.text("status", run.status().value());
    writer.number("eventSequence", run.eventSequence());
    counters(writer, run.counters());
    writer.instant("runAt", run.runAt());
    writer.text("concurrencyKey", run.concurrencyKey());
    writer.text("idempotencyKey", run.idempotencyKey());
    writer.text("singletonKey", run.singletonKey());
    writer.text("workerId", run.workerId());
    RecordFields.failureOrNull(writer, run.failure());
    times(writer, run.createdAt(), run.updatedAt(), run.startedAt(), run.finishedAt());
    return Json.ofChecked(writer.end());
  }

  /** A failure as storages keep it. */
  public static Json write(FailureRecord failure) {
    JsonWriter writer = new JsonWriter();
    RecordFields.failure(writer, failure);
    return Json.ofChecked(writer.end());
  }

  /** Reads a failure as storages keep it. */
  public static FailureRecord readFailure(Json json) {
    return RecordFields.failure(JsonObjectText.of("failure", json.text()));
  }

  private static void counters(JsonWriter writer, RunCounters counters) {
    writer.object("counters", fields -> {
      fields.number("attempts", counters.attempts());
      fields.number("failures", counters.failures());
      fields.number("retries", counters.retries());
      fields.number("releases", counters.releases());
    });
  }

  private static void times(
      JsonWriter writer,
      Instant createdAt,
      Instant updatedAt,
      @Nullable Instant startedAt,
      @Nullable Instant finishedAt) {
    writer.instant("createdAt", createdAt);
    writer.instant("updatedAt", updatedAt);
    writer.instant("startedAt", startedAt);
    writer.instant("finishedAt", finishedAt);
  }
}
