package dev.runlane.json.record;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.json.JsonWriter;
import dev.runlane.run.Json;
import java.util.Arrays;
import java.util.List;

/** Jobs, their hand-outs and events as JSON. */
public final class JobJson {
  /** The fields that a list of jobs leaves out: what may be large, and is read with the job. */
  public static final List<String> LARGE =
      List.of("data", "returnvalue", "logs", "stacktrace", "attemptLogs", "childrenIds");

  private JobJson() {}

  /** The job with every field that is present; lists where they are not empty. Shown, never read. */
  public static Json write(JobData job) {
    JsonWriter writer = new JsonWriter();
    writer.text("id", job.id());
    writer.text("name", job.name());
    writer.text("queueName", job.queueName());
    writer.json("data", job.data());
    writer.text("state", job.state().value());
    writer.number("attemptsMade", job.attemptsMade());
    writer.number("startedAttempts", job.startedAttempts());
    writer.number("stalls", job.stalls());
    writer.decimalOrNull("progress", job.progress());
    writer.json("returnvalue", job.returnvalue());
    writer.text("failedReason", job.failedReason());
    writer.object("opts", fields -> JobOptionsJson.write(fields, job.options()));
    writer.text("deduplicationKey", job.deduplicationKey());
    writer.textList("logs", job.logs());
    writer.textList("stacktrace", job.stacktrace());
    writer.instant("createdAt", job.createdAt());
    writer.instant("processedAt", job.processedAt());
    writer.instant("completedAt", job.completedAt());
    writer.instant("failedAt", job.failedAt());
    writer.instant("delayUntil", job.delayUntil());
    writer.instant("lockUntil", job.lockUntil());
    writer.text("lockedBy", job.lockedBy());
    writer.text("parentId", job.parentId());
    writer.text("parentQueueName", job.parentQueueName());
    writer.number("pendingChildrenCount", job.pendingChildrenCount());
    writer.instant("cancelledAt", job.cancelledAt());
    writer.text("groupId", job.groupId());
    writer.flag("discarded", job.discarded());
    writer.textList("childrenIds", job.childrenIds());
    writer.objectList("attemptLogs", job.attemptLogs(), JobJson::write);
    writer.text("scheduleKey", job.scheduleKey());
    DeadLetter origin = job.deadLetter();
    if (origin != null) {
      writer.object("deadLetter", fields -> write(fields, origin));
    }
    return Json.ofChecked(writer.end());
  }

  /** A schedule of jobs, its options under the name that a job's have. Shown, never read. */
  public static Json write(JobSchedule schedule) {
    JsonWriter writer = new JsonWriter();
    writer.text("queueName", schedule.queueName());
    writer.text("key", schedule.key());
    writer.text("name", schedule.jobName());
    writer.json("data", schedule.data());
    writer.json("repeat", JobOptionsJson.write(schedule.repeat()));
    writer.object("opts", fields -> JobOptionsJson.write(fields, schedule.options()));
    writer.instant("nextAt", schedule.nextAt());
    writer.number("fired", schedule.fired());
    writer.instant("lastFiredAt", schedule.lastFiredAt());
    writer.text("lastJobId", schedule.lastJobId());
    writer.instant("createdAt", schedule.createdAt());
    writer.instant("updatedAt", schedule.updatedAt());
    return Json.ofChecked(writer.end());
  }

  /** Hand-outs, as a list. */
  public static Json write(List<AttemptRecord> attempts) {
    JsonWriter writer = new JsonWriter();
    writer.objectList("attempts", attempts, JobJson::write);
    return Json.ofChecked(writer.end());
  }

  /** Reads what {@link #write(List)} wrote. Fails with {@code InvariantViolation} on anything else. */
  public static List<AttemptRecord> readAttempts(Json json) {
    return JsonObjectText.of("attempts", json.text()).objects("attempts").stream()
        .map(JobJson::attempt)
        .toList();
  }

  /** What a job in a dead-letter queue is a copy of. */
  public static Json write(DeadLetter origin) {
    JsonWriter writer = new JsonWriter();
    write(writer, origin);
    return Json.ofChecked(writer.end());
  }

  /** Reads what {@link #write(DeadLetter)} wrote. Fails with {@code InvariantViolation} on anything else. */
  public static DeadLetter readDeadLetter(Json json) {
    JsonObjectText object = JsonObjectText.of("dead letter", json.text());
    return new DeadLetter(
        object.text("queueName"),
        object.text("jobId"),
        object.text("reason"),
        object.instant("failedAt"),
        JobOptionsJson.read(object.object("opts")));
  }

  /** An event, as it is sent to other processes. */
  public static Json write(StoreEvent event) {
    JsonWriter writer = new JsonWriter();
    writer.text("type", event.type().value());
    writer.text("queueName", event.queueName());
    writer.text("jobId", event.jobId());
    writer.json("data", event.data());
    writer.instant("timestamp", event.timestamp());
    return Json.ofChecked(writer.end());
  }

  /** Reads what {@link #write(StoreEvent)} wrote. Fails with {@code InvariantViolation} on anything else. */
  public static StoreEvent readEvent(Json json) {
    JsonObjectText object = JsonObjectText.of("event", json.text());
    String type = object.text("type");
    return new StoreEvent(
        StoreEventType.ofValue(type).orElseThrow(() -> object.unreadable("unknown type " + type)),
        object.text("queueName"),
        object.textOrNull("jobId"),
        object.jsonOrNull("data"),
        object.instant("timestamp"));
  }

  private static void write(JsonWriter writer, DeadLetter origin) {
    writer.text("queueName", origin.queueName());
    writer.text("jobId", origin.jobId());
    writer.text("reason", origin.reason());
    writer.instant("failedAt", origin.failedAt());
    writer.object("opts", fields -> JobOptionsJson.write(fields, origin.options()));
  }

  private static void write(JsonWriter writer, AttemptRecord attempt) {
    writer.number("attempt", attempt.attempt());
    writer.instant("startedAt", attempt.startedAt());
    writer.instant("endedAt", attempt.endedAt());
    writer.text("status", attempt.status().value());
    writer.text("error", attempt.error());
    writer.text("stacktrace", attempt.stacktrace());
    writer.textList("logs", attempt.logs());
  }

  private static AttemptRecord attempt(JsonObjectText object) {
    String status = object.text("status");
    return new AttemptRecord(
        object.count("attempt"),
        object.instant("startedAt"),
        object.instantOrNull("endedAt"),
        Arrays.stream(AttemptRecord.Status.values())
            .filter(each -> each.value().equals(status))
            .findFirst()
            .orElseThrow(() -> object.unreadable("unknown status " + status)),
        object.textOrNull("error"),
        object.textOrNull("stacktrace"),
        object.textListOrEmpty("logs"));
  }
}
