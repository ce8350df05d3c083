package dev.runlane.storage;

import static dev.runlane.storage.InputRules.requireCount;
import static dev.runlane.storage.InputRules.requireDuration;
import static dev.runlane.storage.InputRules.requireIds;
import static dev.runlane.storage.InputRules.requireInstant;
import static dev.runlane.storage.InputRules.requireLimitOrNull;

import dev.runlane.json.StorableText;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.FinishAction;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.PruneActions;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ClaimAlertDeliveries;
import dev.runlane.operator.alert.FinishAlertDeliveries;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.operator.process.EndProcess;
import dev.runlane.operator.process.LeasesOf;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.queue.FinishResumedRuns;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.step.ListStepGroups;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.run.Actor;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunTags;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunSort;
import dev.runlane.transport.PartitionLag;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What every {@link dev.runlane.operator.OperatorStore} refuses with {@code ValidationFailed} before it does anything.
 */
public final class OperatorChecks {
  /** Most characters of a reason, a result or a name that is no id. */
  public static final int MOST_TEXT = 2_000;

  /** Most characters of a handler's line. */
  public static final int MOST_LINE_TEXT = 8_192;

  private static final int MOST_WANTED = 10_000;

  private OperatorChecks() {}

  /** Checks ids, names and numbers. */
  public static void check(SignOfLife command) {
    Identifiers.requireEnvironment(command.environment());
    requireInstant("now", command.now());
    RuntimeProcess process = command.process();
    Identifiers.requireId("processId", process.processId());
    requireText("host", process.host());
    requireText("version", process.version());
    requireCount("roles", process.roles());
    process.roles().forEach(role -> requireText("roles", role));
    requireIds("queues", process.queues());
    requireIds("taskIds", process.taskIds());
    requireIds("workerIds", process.workerIds());
    requireInstant("startedAt", process.startedAt());
    requireDuration("longestLease", process.longestLease());
    if (process.slots() < 0 || process.running() < 0) {
      throw RunlaneException.validationFailed(
          "slots and running must not be negative, but are %d and %d",
          process.slots(), process.running());
    }
    if (process.lags().size() > RuntimeProcess.MOST_LAGS) {
      throw RunlaneException.validationFailed(
          "a process tells of at most %d partitions, but this one of %d",
          RuntimeProcess.MOST_LAGS, process.lags().size());
    }
    process.lags().forEach(OperatorChecks::requireLag);
  }

  /** Whether a lag may be a part of a sign of life: somebody else's transport may answer -1 for what it cannot know. */
  public static boolean isTellable(PartitionLag lag) {
    try {
      requireLag(lag);
      return true;
    } catch (RunlaneException malformed) {
      return false;
    }
  }

  private static void requireLag(PartitionLag lag) {
    requireText("topic", lag.topic());
    requireText("group", lag.group());
    Identifiers.requireId("queue", lag.queue());
    if (lag.partition() < 0 || lag.records() < 0) {
      throw RunlaneException.validationFailed(
          "partition and records must not be negative, but are %d and %d",
          lag.partition(), lag.records());
    }
  }

  /** Checks ids. */
  public static void check(EndProcess command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("processId", command.processId());
  }

  /** Checks scope and limit. */
  public static void check(ListProcesses query) {
    Identifiers.requireEnvironment(query.environment());
    requireLimitOrNull(query.limit());
  }

  /** Checks ids, texts and sizes, and that no task is there twice. */
  public static void check(PublishTasks command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("processId", command.processId());
    requireInstant("startedAt", command.startedAt());
    requireInstant("now", command.now());
    if (command.tasks().size() > PublishTasks.MOST_TASKS) {
      throw RunlaneException.validationFailed(
          "at most %d tasks are published at once, but there are %d",
          PublishTasks.MOST_TASKS, command.tasks().size());
    }
    Set<String> ids = new HashSet<>();
    for (RuntimeTask task : command.tasks()) {
      Identifiers.requireId("taskId", task.taskId());
      Identifiers.requireId("queue", task.queue());
      requireText("payloadType", task.payloadType());
      if (!ids.add(task.taskId())) {
        throw RunlaneException.validationFailed("task %s is published twice", task.taskId());
      }
      int bytes = task.payloadSchema() == null
          ? 0
          : task.payloadSchema().text().getBytes(StandardCharsets.UTF_8).length;
      if (bytes > RuntimeTask.MOST_SCHEMA_BYTES) {
        throw RunlaneException.validationFailed(
            "the schema of task %s must have at most %d bytes, but has %d",
            task.taskId(), RuntimeTask.MOST_SCHEMA_BYTES, bytes);
      }
      requireRules(task);
    }
  }

  private static void requireRules(RuntimeTask task) {
    IdempotencyTtl ttl = task.rules().idempotencyTtl();
    if (ttl != null && ttl.retention() != null) {
      EventChecks.requireMillis("the idempotency TTL of task " + task.taskId(), ttl.retention());
    }
    List<String> names = task.rules().tags();
    if (names.size() > ContractDefaults.MAX_TAGS) {
      throw RunlaneException.validationFailed(
          "task %s makes at most %d tags, but %d were told",
          task.taskId(), ContractDefaults.MAX_TAGS, names.size());
    }
    names.forEach(RunTags::requireName);
  }

  /** Checks ids and limit. */
  public static void check(ListTasks query) {
    Identifiers.requireEnvironment(query.environment());
    requireLimitOrNull(query.limit());
    if (query.taskId() != null) {
      Identifiers.requireId("taskId", query.taskId());
    }
  }

  /** Checks ids and limit. */
  public static void check(LeasesOf query) {
    Identifiers.requireEnvironment(query.environment());
    Identifiers.requireId("processId", query.processId());
    requireInstant("now", query.now());
    requireWanted(query.limit());
  }

  /** Checks ids and limit. */
  public static void check(ListSteps query) {
    Identifiers.requireEnvironment(query.environment());
    requireLimitOrNull(query.limit());
    if (query.runId() != null) {
      Identifiers.requireId("runId", query.runId());
    }
    if (query.group() != null) {
      Identifiers.requireId("group", query.group());
    }
  }

  /** Checks the scope. */
  public static void check(ListStepGroups query) {
    Identifiers.requireEnvironment(query.environment());
  }

  /** Checks scope, status and limit. */
  public static void check(ListOutbox query) {
    Identifiers.requireEnvironment(query.environment());
    requireLimitOrNull(query.limit());
    if (query.status() == OutboxMessageStatus.PUBLISHED) {
      throw RunlaneException.validationFailed("published messages are not kept, so not listed");
    }
  }

  /** Checks ids and limit. */
  public static void check(RedriveOutbox command) {
    Identifiers.requireEnvironment(command.environment());
    requireInstant("now", command.now());
    requireWanted(command.limit());
    if (command.messageIds() != null) {
      requireIds("messageIds", command.messageIds());
    }
  }

  /** Checks names and texts. */
  public static void check(PauseQueue command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("queue", command.queue());
    requireActor(command.actor());
    requireTextOrNull("reason", command.reason());
    requireInstant("now", command.now());
  }

  /** Checks names. */
  public static void check(ResumeQueue command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("queue", command.queue());
  }

  /** Checks ids, durations and limit. */
  public static void check(TakeResumedRuns command) {
    Identifiers.requireEnvironment(command.environment());
    requireIds("queues", command.queues());
    Identifiers.requireId("token", command.token());
    requireInstant("now", command.now());
    requireDuration("settleFor", command.settleFor());
    requireDuration("claimFor", command.claimFor());
    requireWanted(command.limit());
  }

  /** Checks ids. */
  public static void check(FinishResumedRuns command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("token", command.token());
    Identifiers.requireId("queue", command.taken().queue());
  }

  /** Checks the scope. */
  public static void check(ListPausedQueues query) {
    Identifiers.requireEnvironment(query.environment());
  }

  /** Checks scope and limit. */
  public static void check(ListSchedules query) {
    Identifiers.requireEnvironment(query.environment());
    requireLimitOrNull(query.limit());
  }

  /** Checks names, and how many there are. */
  public static void check(FindSchedules query) {
    Identifiers.requireEnvironment(query.environment());
    requireCount("names", query.names());
    query.names().forEach(OperatorChecks::requireName);
  }

  /** Checks names and texts. */
  public static void check(PauseSchedule command) {
    Identifiers.requireEnvironment(command.environment());
    requireName(command.name());
    requireActor(command.actor());
    requireTextOrNull("reason", command.reason());
    requireInstant("now", command.now());
  }

  /** Checks names. */
  public static void check(ResumeSchedule command) {
    Identifiers.requireEnvironment(command.environment());
    requireName(command.name());
    requireInstant("now", command.now());
  }

  /** Checks ids. */
  public static void check(FindTags query) {
    Identifiers.requireEnvironment(query.environment());
    requireIds("runIds", query.runIds());
  }

  /** Checks tags, filter and limit. */
  public static void check(ListTaggedRuns query) {
    if (query.tags().isEmpty()) {
      throw RunlaneException.validationFailed("runs by tags need at least one tag");
    }
    RunTags.require(query.tags());
    CommandChecks.check(new ListRuns(
        query.environment(), query.filter(), RunSort.NEWEST_FIRST, query.limit(), query.cursor()));
  }

  /** Checks ids, tags, and that the statuses are of runs that have ended. */
  public static void check(RegisterWebhooks command) {
    Identifiers.requireEnvironment(command.environment());
    requireInstant("now", command.now());
    requireCount("webhooks", command.webhooks().keySet());
    command.webhooks().forEach((id, filter) -> {
      Identifiers.requireId("webhookId", id);
      requireEnds(filter);
    });
  }

  private static void requireEnds(EndFilter filter) {
    requireIds("taskIds", filter.taskIds());
    requireIds("queues", filter.queues());
    RunTags.require(filter.tags());
    filter.statuses().stream().filter(RunStatus::isActive).findFirst().ifPresent(status -> {
      throw RunlaneException.validationFailed("%s is no end of a run", status.value());
    });
  }

  /** Checks ids, durations and limit. */
  public static void check(ClaimWebhookDeliveries command) {
    Identifiers.requireEnvironment(command.environment());
    requireIds("webhookIds", command.webhookIds());
    Identifiers.requireId("token", command.token());
    requireInstant("now", command.now());
    requireDuration("claimFor", command.claimFor());
    requireWanted(command.limit());
  }

  /** Checks ids and instants, and that no delivery is named twice. */
  public static void check(FinishWebhookDeliveries command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("token", command.token());
    requireCount("outcomes", command.outcomes());
    Set<List<String>> named = new HashSet<>();
    command.outcomes().forEach(outcome -> {
      Identifiers.requireId("webhookId", outcome.webhookId());
      Identifiers.requireId("runId", outcome.runId());
      requireInstant("retryAt", outcome.retryAt());
      if (!named.add(List.of(outcome.webhookId(), outcome.runId()))) {
        throw RunlaneException.validationFailed(
            "the delivery of run %s to webhook %s is named twice",
            outcome.runId(), outcome.webhookId());
      }
    });
  }

  /** Checks scope and duration. */
  public static void check(TakeSample command) {
    Identifiers.requireEnvironment(command.environment());
    requireInstant("now", command.now());
    requireDuration("every", command.every());
  }

  /** Checks the scope. */
  public static void check(GetSample query) {
    Identifiers.requireEnvironment(query.environment());
  }

  /** Checks ids and texts. */
  public static void check(RecordAction command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("id", command.id());
    requireActor(command.actor());
    Identifiers.requireId("action", command.action());
    requireTextOrNull("target", command.target());
    requireTextOrNull("reason", command.reason());
    requireInstant("now", command.now());
  }

  /** Checks ids and texts. */
  public static void check(FinishAction command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("id", command.id());
    requireTextOrNull("result", command.result());
    requireInstant("now", command.now());
  }

  /** Checks ids, texts, instants and limit. */
  public static void check(ListActions query) {
    Identifiers.requireEnvironment(query.environment());
    ActionFilter filter = query.filter();
    requireTextOrNull("actor", filter.actor());
    if (filter.action() != null) {
      Identifiers.requireId("action", filter.action());
    }
    requireTextOrNull("target", filter.target());
    requireInstant("from", filter.from());
    requireInstant("until", filter.until());
    requireLimitOrNull(query.limit());
  }

  /** Checks scope, instant and limit. */
  public static void check(PruneActions command) {
    Identifiers.requireEnvironment(command.environment());
    requireInstant("olderThan", command.olderThan());
    requireWanted(command.limit());
  }

  /** Checks ids and numbers, and that no minute of a task in a queue is named twice. */
  public static void check(AddThroughput command) {
    Identifiers.requireEnvironment(command.environment());
    requireCount("buckets", command.buckets());
    Set<List<Object>> named = new HashSet<>();
    for (ThroughputBucket bucket : command.buckets()) {
      Identifiers.requireId("queue", bucket.queue());
      Identifiers.requireId("taskId", bucket.taskId());
      requireInstant("minute", bucket.minute());
      if (bucket.numbers().stream().anyMatch(number -> number < 0)) {
        throw RunlaneException.validationFailed(
            "what is counted must not be negative, but is %s", bucket.numbers());
      }
      if (!named.add(List.of(bucket.minute(), bucket.queue(), bucket.taskId()))) {
        throw RunlaneException.validationFailed(
            "minute %s of task %s in queue %s is named twice",
            bucket.minute(), bucket.taskId(), bucket.queue());
      }
    }
  }

  /** Checks ids, instants and limit. */
  public static void check(ListThroughput query) {
    Identifiers.requireEnvironment(query.environment());
    requireInstant("from", query.from());
    requireInstant("until", query.until());
    if (query.queue() != null) {
      Identifiers.requireId("queue", query.queue());
    }
    if (query.taskId() != null) {
      Identifiers.requireId("taskId", query.taskId());
    }
    requireLimitOrNull(query.limit());
  }

  /** Checks ids, instants and the step. */
  public static void check(FoldThroughput query) {
    Identifiers.requireEnvironment(query.environment());
    requireInstant("from", query.from());
    requireInstant("until", query.until());
    if (query.queue() != null) {
      Identifiers.requireId("queue", query.queue());
    }
    if (query.taskId() != null) {
      Identifiers.requireId("taskId", query.taskId());
    }
    Duration step = query.step();
    if (step.compareTo(Duration.ofMinutes(1)) < 0
        || step.compareTo(FoldThroughput.LONGEST_STEP) > 0
        || !step.equals(step.truncatedTo(ChronoUnit.MINUTES))) {
      throw RunlaneException.validationFailed(
          "a step has from 1 minute to %s, all of them whole, not %s",
          FoldThroughput.LONGEST_STEP, step);
    }
    if (!query.beginOf(query.from()).equals(query.from())) {
      throw RunlaneException.validationFailed("no step of %s begins at %s", step, query.from());
    }
  }

  /** Checks the filter and how many are counted. */
  public static void check(CountRuns query) {
    CommandChecks.check(
        new ListRuns(query.environment(), query.filter(), RunSort.NEWEST_FIRST, null, null));
    if (query.atMost() < 1 || query.atMost() > CountRuns.MOST) {
      throw RunlaneException.validationFailed(
          "from 1 to %d runs of a status are counted, not %d", CountRuns.MOST, query.atMost());
    }
  }

  /** Checks scope, instant and limit. */
  public static void check(PruneThroughput command) {
    Identifiers.requireEnvironment(command.environment());
    requireInstant("olderThan", command.olderThan());
    requireWanted(command.limit());
  }

  /** Checks ids, places and sizes. */
  public static void check(AppendLogLines command) {
    Identifiers.requireEnvironment(command.environment());
    requireCount("lines", command.lines());
    for (LogLine line : command.lines()) {
      Identifiers.requireId("runId", line.runId());
      requireInstant("at", line.at());
      StorableText.require("text", line.text());
      StorableText.require("fields", line.fields());
      if (line.attempt() < 1 || line.number() < 1) {
        throw RunlaneException.validationFailed(
            "attempt and number of a line begin with 1, but are %d and %d",
            line.attempt(), line.number());
      }
      if (line.text().length() > MOST_LINE_TEXT) {
        throw RunlaneException.validationFailed(
            "a line must have at most %d characters, but has %d",
            MOST_LINE_TEXT, line.text().length());
      }
    }
  }

  /** Checks ids and limit. */
  public static void check(ListLogLines query) {
    Identifiers.requireEnvironment(query.environment());
    Identifiers.requireId("runId", query.runId());
    requireLimitOrNull(query.limit());
  }

  /** Checks ids and limit. */
  public static void check(ListOccupied query) {
    Identifiers.requireEnvironment(query.environment());
    Identifiers.requireId("queue", query.queue());
    requireInstant("now", query.now());
    requireWanted(query.limit());
  }

  /** Checks ids, version and size. */
  public static void check(PutDocument command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("kind", command.kind());
    Identifiers.requireId("name", command.name());
    requireActor(command.actor());
    requireInstant("now", command.now());
    if (command.expectedVersion() != null && command.expectedVersion() < 0) {
      throw RunlaneException.validationFailed(
          "a version must not be negative, but is %d", command.expectedVersion());
    }
    int bytes = command.content().text().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > PutDocument.MOST_BYTES) {
      throw RunlaneException.validationFailed(
          "a document must have at most %d bytes, but has %d", PutDocument.MOST_BYTES, bytes);
    }
  }

  /** Checks ids. */
  public static void check(RemoveDocument command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("kind", command.kind());
    Identifiers.requireId("name", command.name());
  }

  /** Checks ids and limit. */
  public static void check(ListDocuments query) {
    Identifiers.requireEnvironment(query.environment());
    Identifiers.requireId("kind", query.kind());
    requireLimitOrNull(query.limit());
  }

  /** Checks ids and texts, and that no subject and no alert is named twice. */
  public static void check(ObserveAlerts command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("ruleId", command.ruleId());
    requireInstant("now", command.now());
    requireIds("channels", command.channels());
    requireCount("findings", command.findings());
    Set<String> subjects = new HashSet<>();
    Set<String> alertIds = new HashSet<>();
    for (AlertFinding finding : command.findings()) {
      Identifiers.requireId("alertId", finding.alertId());
      requireText("subject", finding.subject());
      requireBytes("subject", finding.subject(), AlertFinding.MOST_SUBJECT_BYTES);
      requireText("text", finding.text());
      if (!subjects.add(finding.subject())) {
        throw RunlaneException.validationFailed("a subject is named twice");
      }
      if (!alertIds.add(finding.alertId())) {
        throw RunlaneException.validationFailed("alert %s is named twice", finding.alertId());
      }
    }
  }

  /** Checks ids and limit. */
  public static void check(ListAlerts query) {
    Identifiers.requireEnvironment(query.environment());
    if (query.ruleId() != null) {
      Identifiers.requireId("ruleId", query.ruleId());
    }
    requireLimitOrNull(query.limit());
  }

  /** Checks ids, durations and limit. */
  public static void check(ClaimAlertDeliveries command) {
    Identifiers.requireEnvironment(command.environment());
    requireIds("channels", command.channels());
    Identifiers.requireId("token", command.token());
    requireInstant("now", command.now());
    requireDuration("claimFor", command.claimFor());
    requireWanted(command.limit());
  }

  /** Checks ids and instants, and that no delivery is named twice. */
  public static void check(FinishAlertDeliveries command) {
    Identifiers.requireEnvironment(command.environment());
    Identifiers.requireId("token", command.token());
    requireCount("outcomes", command.outcomes());
    Set<List<String>> named = new HashSet<>();
    command.outcomes().forEach(outcome -> {
      Identifiers.requireId("alertId", outcome.alertId());
      Identifiers.requireId("channel", outcome.channel());
      requireInstant("retryAt", outcome.retryAt());
      String change = outcome.change().value();
      if (!named.add(List.of(outcome.alertId(), outcome.channel(), change))) {
        throw RunlaneException.validationFailed(
            "the delivery to channel %s that alert %s is %s is named twice",
            outcome.channel(), outcome.alertId(), change);
      }
    });
  }

  private static void requireName(ScheduleName name) {
    Identifiers.requireId("taskId", name.taskId());
    Identifiers.requireId("scheduleId", name.scheduleId());
  }

  private static void requireActor(Actor actor) {
    requireTextOrNull("actor", actor.id());
  }

  private static void requireTextOrNull(String what, @Nullable String text) {
    if (text != null) {
      requireText(what, text);
    }
  }

  private static void requireText(String what, String text) {
    StorableText.require(what, text);
    if (text.length() > MOST_TEXT) {
      throw RunlaneException.validationFailed(
          "%s must have at most %d characters, but has %d", what, MOST_TEXT, text.length());
    }
  }

  private static void requireBytes(String what, String text, int most) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > most) {
      throw RunlaneException.validationFailed(
          "%s must have at most %d bytes of UTF-8, but has %d", what, most, bytes);
    }
  }

  private static void requireWanted(int limit) {
    if (limit < 1 || limit > MOST_WANTED) {
      throw RunlaneException.validationFailed(
          "limit must be between 1 and %d, but is %d", MOST_WANTED, limit);
    }
  }
}
