package dev.runlane.client.read;

import dev.runlane.client.http.ApiJson;
import dev.runlane.json.TtlText;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.OutboxDepth;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.depth.StepDepth;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.TopicLag;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.schedule.SchedulePause;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.runtime.operate.ListedSchedule;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.transport.PartitionLag;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Processes, queues, tasks, schedules, the outbox and what operators did. */
public final class FleetReader {
  private FleetReader() {}

  /** A process. */
  public static KnownProcess process(Fields row) {
    return new KnownProcess(
        new RuntimeProcess(
            row.text("id"),
            row.text("host"),
            row.text("version"),
            row.texts("roles"),
            row.texts("queues"),
            row.texts("tasks"),
            row.texts("workers"),
            row.count("slots"),
            row.count("running"),
            row.duration("longestLease"),
            row.instant("startedAt"),
            row.node().has("lags") ? row.rows("lags", FleetReader::lag) : List.of()),
        row.instant("lastSeen"),
        row.node().has("clockOffsetMillis")
            ? Duration.ofMillis(row.number("clockOffsetMillis"))
            : null);
  }

  private static PartitionLag lag(Fields row) {
    return new PartitionLag(
        row.text("topic"),
        row.text("group"),
        row.count("partition"),
        row.text("queue"),
        row.number("records"));
  }

  /** How far a topic's consumers are behind. */
  public static TopicLag topicLag(Fields row) {
    return new TopicLag(
        row.text("topic"),
        row.text("group"),
        row.text("queue"),
        row.rows(
            "partitions",
            each -> new TopicLag.Partition(
                each.count("partition"),
                each.number("records"),
                each.text("processId"),
                each.instant("toldAt"),
                each.flag("isLeft"))));
  }

  /** A lease. */
  public static HeldLease lease(Fields row) {
    return new HeldLease(
        row.text("runId"),
        row.text("taskId"),
        row.text("queue"),
        row.text("workerId"),
        row.instant("expiresAt"));
  }

  /** A queue, as a process has published it. */
  public static PublishedQueue publishedQueue(Fields row) {
    return new PublishedQueue(
        row.text("processId"),
        row.text("queue"),
        row.node().has("concurrencyLimit") ? row.count("concurrencyLimit") : null,
        row.instant("expiresAt"));
  }

  /** What is said of a task. */
  public static RuntimeTask task(Fields row) {
    return new RuntimeTask(
        row.text("id"),
        Optional.ofNullable(row.textOrNull("queue")).orElse(""),
        row.flag("hasHandler"),
        row.text("payloadType"),
        row.node().has("payloadSchema") ? ApiJson.text(row.node().path("payloadSchema")) : null,
        row.texts("keys").stream()
            .map(TaskKey::ofValue)
            .flatMap(Optional::stream)
            .toList(),
        rules(row));
  }

  /** A release before says nothing of them. */
  private static TriggerRules rules(Fields row) {
    String ttl = row.textOrNull("idempotencyTtl");
    return new TriggerRules(
        ttl == null ? null : TtlText.parse(ttl),
        row.node().has("refusesOtherPayload") && row.flag("refusesOtherPayload"),
        row.node().has("tags") ? row.texts("tags") : List.of());
  }

  /** Counts of what waits. */
  public static DepthSample sample(Fields sample) {
    Fields outbox = sample.object("outbox");
    return new DepthSample(
        sample.instant("takenAt"),
        sample.rows(
            "queues",
            queue -> new QueueDepth(
                queue.text("queue"),
                queue.number("waiting"),
                queue.number("later"),
                queue.number("held"),
                queue.instantOrNull("oldestDueAt"))),
        new OutboxDepth(
            outbox.number("pending"),
            outbox.number("claimed"),
            outbox.number("failed"),
            outbox.number("deadLettered"),
            outbox.instantOrNull("oldestDueAt")),
        sample.node().has("steps") // a release before says nothing of them
            ? sample.rows(
                "steps",
                group -> new StepDepth(
                    group.text("group"), group.number("waiting"), group.instant("oldestAt")))
            : List.of());
  }

  /** A remote step that waits. */
  public static WaitingStep step(Fields row) {
    return new WaitingStep(
        row.text("id"),
        row.text("runId"),
        row.text("name"),
        row.text("group"),
        row.count("attempt"),
        row.instantOrNull("requestedAt"),
        row.instantOrNull("dispatchedAt"),
        row.instant("nextAt"),
        row.instant("deadline"),
        row.flag("runEnded"));
  }

  /** A group with steps that wait. */
  public static StepGroup stepGroup(Fields row) {
    return new StepGroup(
        row.text("group"),
        row.number("waiting"),
        row.number("dispatched"),
        row.count("mostAttempts"),
        row.instantOrNull("oldestRequestedAt"),
        row.instant("firstDeadline"));
  }

  /** A message of the outbox. */
  public static OutboxEntry message(Fields row) {
    return new OutboxEntry(
        row.text("id"),
        row.text("runId"),
        row.text("queue"),
        row.known("status", value -> Arrays.stream(OutboxMessageStatus.values())
            .filter(each -> each.value().equals(value))
            .findFirst()),
        row.instant("availableAt"),
        row.instantOrNull("claimExpiresAt"),
        row.count("failedPublishes"),
        RunReader.failureOrNull(row));
  }

  /** A queue that is paused. */
  public static PausedQueue paused(Fields row) {
    return new PausedQueue(
        row.text("queue"), row.actor(), row.textOrNull("reason"), row.instant("pausedAt"));
  }

  /** What an operator did. */
  public static OperatorAction action(Fields row) {
    return new OperatorAction(
        row.text("id"),
        row.actor(),
        row.text("action"),
        row.textOrNull("target"),
        row.textOrNull("reason"),
        row.instant("at"),
        row.node().has("succeeded") ? row.flag("succeeded") : null,
        row.textOrNull("result"),
        row.instantOrNull("endedAt"));
  }

  /** A handler's line. */
  public static LogLine line(Fields row) {
    return new LogLine(
        row.text("runId"),
        row.count("attempt"),
        row.count("number"),
        row.instant("at"),
        row.known("level", LogLevel::ofValue),
        row.text("text"),
        row.textsByName("fields"));
  }

  /** A schedule. */
  public static ListedSchedule schedule(Fields row) {
    SchedulePause pause = row.objectOrNull("pause")
        .map(told ->
            new SchedulePause(told.actor(), told.textOrNull("reason"), told.instant("pausedAt")))
        .orElse(null);
    return new ListedSchedule(
        new ScheduleState(
            new ScheduleName(row.text("taskId"), row.text("scheduleId")),
            row.text("definition"),
            row.instant("firstSeen"),
            row.instant("lastSeen"),
            Objects.requireNonNullElse(row.instantOrNull("countsFrom"), row.instant("firstSeen")),
            row.instantOrNull("lastFire"),
            row.instantOrNull("resumedAt"),
            pause),
        zone(row.textOrNull("zone")),
        row.instantOrNull("nextFire"),
        row.instantOrNull("missedFire"));
  }

  /** A zone that this machine does not know is none. */
  private static @Nullable ZoneId zone(@Nullable String id) {
    try {
      return id == null ? null : ZoneId.of(id);
    } catch (DateTimeException unknown) {
      return null;
    }
  }
}
