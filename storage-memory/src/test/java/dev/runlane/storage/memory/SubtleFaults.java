package dev.runlane.storage.memory;

import static dev.runlane.storage.memory.AlteringStorage.altering;
import static dev.runlane.storage.memory.AlteringStorage.misreading;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.FinishAction;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.PruneActions;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.operator.alert.ClaimAlertDeliveries;
import dev.runlane.operator.alert.FinishAlertDeliveries;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.operator.process.EndProcess;
import dev.runlane.operator.process.LeasesOf;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.queue.FinishResumedRuns;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.run.Actor;
import dev.runlane.run.Lease;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.RetryStep;
import java.text.Normalizer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Storages that take one part of a command for another by a little. */
final class SubtleFaults {
  /** In commands to runs. */
  static final List<BrokenAdapter<StorageAdapter>> IN_RUNS = List.of(
      misreading(
          "frees keys that are wanted a moment early",
          AppendRunEvents.class,
          "now",
          SubtleFaults::later),
      misreading(
          "frees keys that are wanted by the millisecond",
          AppendRunEvents.class,
          "now",
          SubtleFaults::millis),
      misreading(
          "claims its own messages for ever",
          AppendRunEvents.class,
          "claimOutboxFor",
          (Duration time) -> time.plusDays(9_000)),
      altering("appends whatever lease is in force", AppendRunEvents.class, SubtleFaults::unheld),
      misreading(
          "knows the worker of a needed lease in another case",
          AppendRunEvents.class,
          "heldLease",
          (Lease lease) -> new Lease(lease.token(), lower(lease.workerId()), lease.expiresAt())),
      misreading("claims runs a moment late", ClaimRunLease.class, "now", SubtleFaults::earlier),
      misreading(
          "claims runs by the millisecond", ClaimRunLease.class, "now", SubtleFaults::millis),
      misreading(
          "reserves runs a moment late", ReserveRunDispatch.class, "now", SubtleFaults::earlier),
      misreading(
          "reserves runs by the millisecond",
          ReserveRunDispatch.class,
          "now",
          SubtleFaults::millis),
      misreading("claims many runs a moment late", ClaimRuns.class, "now", SubtleFaults::earlier),
      misreading("claims one run too few", ClaimRuns.class, "limit", SubtleFaults::oneLess),
      misreading("claims one run too many", ClaimRuns.class, "limit", SubtleFaults::oneMore),
      misreading(
          "leases many runs to a worker in another case",
          ClaimRuns.class,
          "workerId",
          SubtleFaults::lower),
      misreading(
          "claims one message too many", ClaimOutboxMessages.class, "limit", SubtleFaults::oneMore),
      misreading(
          "claims one message too few", ClaimOutboxMessages.class, "limit", SubtleFaults::oneLess),
      misreading(
          "claims messages by the millisecond",
          ClaimOutboxMessages.class,
          "now",
          SubtleFaults::millis),
      misreading(
          "claims messages of named ids in any case",
          ClaimOutboxMessages.class,
          "outboxMessageIds",
          SubtleFaults::lowers),
      misreading(
          "returns failed messages from the caller's time cut to milliseconds",
          MarkOutboxMessagesFailed.class,
          "now",
          SubtleFaults::millis),
      misreading(
          "marks the first of several failed messages",
          MarkOutboxMessagesFailed.class,
          "messages",
          SubtleFaults::first),
      misreading(
          "marks published messages but the last",
          MarkOutboxMessagesPublished.class,
          "messages",
          SubtleFaults::butTheLast),
      misreading(
          "gives up all messages but the last",
          MarkOutboxMessagesDeadLettered.class,
          "messages",
          SubtleFaults::butTheLast),
      misreading(
          "knows the tokens of published messages in any case",
          MarkOutboxMessagesPublished.class,
          "messages",
          SubtleFaults::ofLowerTokens),
      misreading(
          "prunes in the light of a clock that is a moment ahead",
          PruneRuns.class,
          "now",
          SubtleFaults::later),
      misreading("prunes by the millisecond", PruneRuns.class, "olderThan", SubtleFaults::millis),
      misreading(
          "resets keys by their composed form",
          ResetIdempotencyKey.class,
          "idempotencyKey",
          SubtleFaults::composed),
      misreading(
          "resets keys of a task in another case",
          ResetIdempotencyKey.class,
          "taskId",
          SubtleFaults::lower),
      misreading(
          "looks for owners a moment late",
          GetRunByIdempotencyKey.class,
          "now",
          SubtleFaults::later),
      misreading(
          "looks for owners by the millisecond",
          GetRunByIdempotencyKey.class,
          "now",
          SubtleFaults::millis),
      misreading(
          "looks for owners among tasks in another case",
          GetRunByIdempotencyKey.class,
          "taskId",
          SubtleFaults::lower),
      misreading(
          "looks for keys without their blanks",
          GetRunByIdempotencyKey.class,
          "idempotencyKey",
          SubtleFaults::stripped),
      misreading("lists one run too few", ListRuns.class, "limit", SubtleFaults::oneLess),
      misreading("lists one event too few", ListRunEvents.class, "limit", SubtleFaults::oneLess),
      misreading(
          "calls runs runnable a moment late",
          ListRunnableRuns.class,
          "now",
          SubtleFaults::earlier),
      misreading(
          "calls runs runnable a moment early", ListRunnableRuns.class, "now", SubtleFaults::later),
      misreading(
          "calls one run too few runnable", ListRunnableRuns.class, "limit", SubtleFaults::oneLess),
      misreading(
          "dispatches a moment late", ListRunsNeedingDispatch.class, "now", SubtleFaults::earlier),
      misreading(
          "dispatches by the millisecond",
          ListRunsNeedingDispatch.class,
          "now",
          SubtleFaults::millis),
      misreading(
          "dispatches runs of the first queue of several",
          ListRunsNeedingDispatch.class,
          "queues",
          SubtleFaults::first),
      misreading(
          "recovers deliveries a moment early",
          ListRunsNeedingDelivery.class,
          "now",
          SubtleFaults::later),
      misreading(
          "recovers one delivery too few",
          ListRunsNeedingDelivery.class,
          "limit",
          SubtleFaults::oneLess),
      misreading(
          "finalizes cancellations a moment early",
          ListRunsNeedingCancellationFinalization.class,
          "now",
          SubtleFaults::later),
      misreading(
          "finalizes one cancellation too few",
          ListRunsNeedingCancellationFinalization.class,
          "limit",
          SubtleFaults::oneLess),
      misreading(
          "claims occurrences by the millisecond",
          ClaimScheduleOccurrence.class,
          "now",
          SubtleFaults::millis),
      misreading(
          "remembers the fire of an occurrence by the second",
          ClaimScheduleOccurrence.class,
          "fireAt",
          (Instant at) -> at.plusSeconds(1)),
      misreading(
          "knows the tokens of occurrences in any case",
          CompleteScheduleOccurrence.class,
          "claimToken",
          SubtleFaults::lower),
      misreading(
          "completes occurrences for a task in another case",
          CompleteScheduleOccurrence.class,
          "taskId",
          SubtleFaults::lower),
      misreading(
          "claims one due step too few", ClaimDueSteps.class, "limit", SubtleFaults::oneLess),
      misreading(
          "claims due steps by the millisecond", ClaimDueSteps.class, "now", SubtleFaults::millis),
      misreading(
          "retries the attempt after the one that is named",
          RetryStep.class,
          "attempt",
          SubtleFaults::oneMore),
      misreading(
          "remembers results by the millisecond",
          RetryStep.class,
          "resultAt",
          SubtleFaults::millis),
      misreading(
          "publishes the first of several queues",
          PublishQueues.class,
          "queues",
          SubtleFaults::first),
      misreading(
          "publishes queues of a process in another case",
          PublishQueues.class,
          "processId",
          SubtleFaults::lower),
      misreading(
          "lists published queues a moment early",
          ListPublishedQueues.class,
          "now",
          SubtleFaults::later),
      misreading(
          "keeps lease tokens of many runs in another case",
          ClaimRuns.class,
          "leaseToken",
          SubtleFaults::lower));

  /** In what operators and processes do and ask. */
  static final List<BrokenAdapter<StorageAdapter>> IN_OPERATIONS = List.of(
      misreading(
          "tells signs of life by the second", SignOfLife.class, "now", SubtleFaults::seconds),
      misreading(
          "tells signs of life by the millisecond", SignOfLife.class, "now", SubtleFaults::millis),
      misreading(
          "ends processes in another case", EndProcess.class, "processId", SubtleFaults::lower),
      misreading("lists one process too few", ListProcesses.class, "limit", SubtleFaults::oneLess),
      misreading("looks at leases a moment late", LeasesOf.class, "now", SubtleFaults::later),
      misreading("looks at leases by the millisecond", LeasesOf.class, "now", SubtleFaults::millis),
      misreading("tells one lease too few", LeasesOf.class, "limit", SubtleFaults::oneLess),
      misreading(
          "lists the steps of a group in another case",
          ListSteps.class,
          "group",
          SubtleFaults::lower),
      altering(
          "lists the steps of any group where a run is named",
          ListSteps.class,
          query -> query.runId() == null
              ? query
              : new ListSteps(
                  query.environment(), query.runId(), null, query.limit(), query.cursor())),
      misreading("lists one message too few", ListOutbox.class, "limit", SubtleFaults::oneLess),
      misreading(
          "redrives the first of several messages",
          RedriveOutbox.class,
          "messageIds",
          SubtleFaults::first),
      misreading(
          "redrives messages of named ids in any case",
          RedriveOutbox.class,
          "messageIds",
          SubtleFaults::lowers),
      misreading(
          "redrives one message too few", RedriveOutbox.class, "limit", SubtleFaults::oneLess),
      misreading(
          "redrives one message too many", RedriveOutbox.class, "limit", SubtleFaults::oneMore),
      misreading(
          "makes redriven messages due a moment later",
          RedriveOutbox.class,
          "now",
          SubtleFaults::later),
      misreading(
          "makes redriven messages due by the millisecond",
          RedriveOutbox.class,
          "now",
          SubtleFaults::millis),
      misreading("pauses queues in another case", PauseQueue.class, "queue", SubtleFaults::lower),
      misreading("pauses queues by the millisecond", PauseQueue.class, "now", SubtleFaults::millis),
      misreading(
          "cuts the blanks off reasons of pauses",
          PauseQueue.class,
          "reason",
          SubtleFaults::stripped),
      misreading("resumes queues in another case", ResumeQueue.class, "queue", SubtleFaults::lower),
      misreading(
          "takes runs of the first resumed queue of several",
          TakeResumedRuns.class,
          "queues",
          SubtleFaults::first),
      misreading(
          "takes one resumed run too many", TakeResumedRuns.class, "limit", SubtleFaults::oneMore),
      misreading(
          "takes one resumed run too few", TakeResumedRuns.class, "limit", SubtleFaults::oneLess),
      misreading(
          "claims resumed queues for whole milliseconds",
          TakeResumedRuns.class,
          "claimFor",
          SubtleFaults::wholeMillis),
      misreading(
          "takes resumed queues a moment late",
          TakeResumedRuns.class,
          "now",
          SubtleFaults::earlier),
      misreading(
          "believes that clocks do not differ",
          TakeResumedRuns.class,
          "settleFor",
          (Duration time) -> Duration.ofNanos(1_000)),
      misreading(
          "forgets the last of the runs that were resumed",
          FinishResumedRuns.class,
          "taken",
          (ResumedRuns taken) -> new ResumedRuns(
              taken.queue(),
              taken.runs().subList(0, Math.max(0, taken.runs().size() - 1)),
              taken.isLast())),
      misreading(
          "takes some resumed runs for the last",
          FinishResumedRuns.class,
          "taken",
          (ResumedRuns taken) -> new ResumedRuns(taken.queue(), taken.runs(), true)),
      misreading(
          "takes the last resumed runs for some",
          FinishResumedRuns.class,
          "taken",
          (ResumedRuns taken) -> new ResumedRuns(taken.queue(), taken.runs(), false)),
      misreading(
          "samples too early by a moment",
          TakeSample.class,
          "every",
          (Duration time) -> time.minusNanos(1_000)),
      misreading(
          "counts what will be due in a moment", TakeSample.class, "now", SubtleFaults::later),
      misreading("counts by the millisecond", TakeSample.class, "now", SubtleFaults::millis),
      misreading(
          "records actions by the millisecond", RecordAction.class, "now", SubtleFaults::millis),
      misreading("records actions in another case", RecordAction.class, "id", SubtleFaults::lower),
      misreading("ends actions in another case", FinishAction.class, "id", SubtleFaults::lower),
      misreading(
          "takes each end of an action for success",
          FinishAction.class,
          "succeeded",
          (Boolean succeeded) -> true),
      misreading("ends actions by the second", FinishAction.class, "now", SubtleFaults::seconds),
      misreading(
          "removes actions as old as the cutoff",
          PruneActions.class,
          "olderThan",
          SubtleFaults::later),
      misreading("removes one action too few", PruneActions.class, "limit", SubtleFaults::oneLess),
      misreading("lists one action too few", ListActions.class, "limit", SubtleFaults::oneLess),
      misreading(
          "lists actions of any actor",
          ListActions.class,
          "filter",
          (ActionFilter filter) -> filter.withActor(null)),
      misreading(
          "lists actions that begin with a range's end",
          ListActions.class,
          "filter",
          (ActionFilter filter) -> filter.until() == null
              ? filter
              : filter.withRecorded(filter.from(), SubtleFaults.later(filter.until()))),
      misreading(
          "adds the first of several minutes", AddThroughput.class, "buckets", SubtleFaults::first),
      misreading(
          "lists minutes that begin at the end of a range",
          ListThroughput.class,
          "until",
          SubtleFaults::later),
      misreading(
          "leaves out the minute with which a range begins",
          ListThroughput.class,
          "from",
          SubtleFaults::later),
      misreading(
          "lists minutes of a queue in another case",
          ListThroughput.class,
          "queue",
          SubtleFaults::lower),
      misreading(
          "lists minutes of a task in its composed form",
          ListThroughput.class,
          "taskId",
          SubtleFaults::composed),
      altering(
          "lists minutes of any task where a queue is named",
          ListThroughput.class,
          query -> query.queue() == null
              ? query
              : new ListThroughput(
                  query.environment(),
                  query.from(),
                  query.until(),
                  query.queue(),
                  null,
                  query.limit(),
                  query.cursor())),
      altering(
          "adds up minutes of any task where a queue is named",
          FoldThroughput.class,
          query -> query.queue() == null
              ? query
              : new FoldThroughput(
                  query.environment(),
                  query.from(),
                  query.until(),
                  query.step(),
                  query.by(),
                  query.queue(),
                  null)),
      misreading(
          "adds up minutes of a queue in another case",
          FoldThroughput.class,
          "queue",
          SubtleFaults::lower),
      misreading(
          "counts runs of any queue",
          CountRuns.class,
          "filter",
          (RunFilter filter) -> filter.withQueues(List.of())),
      misreading(
          "removes minutes as old as the cutoff",
          PruneThroughput.class,
          "olderThan",
          SubtleFaults::later),
      misreading(
          "removes one minute too few", PruneThroughput.class, "limit", SubtleFaults::oneLess),
      misreading(
          "keeps the first of several lines", AppendLogLines.class, "lines", SubtleFaults::first),
      misreading(
          "keeps all lines but the last", AppendLogLines.class, "lines", SubtleFaults::butTheLast),
      misreading("lists one line too few", ListLogLines.class, "limit", SubtleFaults::oneLess),
      misreading(
          "finds the tags of the first of several runs",
          FindTags.class,
          "runIds",
          SubtleFaults::first),
      misreading(
          "finds tags of runs in another case", FindTags.class, "runIds", SubtleFaults::lowers),
      misreading(
          "looks for one of several tags", ListTaggedRuns.class, "tags", SubtleFaults::firstTag),
      misreading(
          "lists tagged runs whatever the filter says",
          ListTaggedRuns.class,
          "filter",
          (RunFilter filter) -> RunFilter.ALL),
      misreading(
          "lists one tagged run too few", ListTaggedRuns.class, "limit", SubtleFaults::oneLess),
      misreading(
          "registers the first of several webhooks",
          RegisterWebhooks.class,
          "webhooks",
          SubtleFaults::firstWebhook),
      misreading(
          "registers webhooks for every end",
          RegisterWebhooks.class,
          "webhooks",
          SubtleFaults::forEveryEnd),
      misreading(
          "claims deliveries of the first of several webhooks",
          ClaimWebhookDeliveries.class,
          "webhookIds",
          SubtleFaults::first),
      misreading(
          "claims deliveries a moment late",
          ClaimWebhookDeliveries.class,
          "now",
          SubtleFaults::earlier),
      misreading(
          "claims deliveries for whole milliseconds",
          ClaimWebhookDeliveries.class,
          "claimFor",
          SubtleFaults::wholeMillis),
      misreading(
          "claims one delivery too many",
          ClaimWebhookDeliveries.class,
          "limit",
          SubtleFaults::oneMore),
      misreading(
          "finishes the first of several deliveries",
          FinishWebhookDeliveries.class,
          "outcomes",
          SubtleFaults::first),
      misreading(
          "registers the first of several schedules",
          RegisterSchedules.class,
          "schedules",
          SubtleFaults::first),
      misreading(
          "knows schedules by the millisecond",
          RegisterSchedules.class,
          "now",
          SubtleFaults::millis),
      misreading(
          "takes an edit back a moment early",
          RegisterSchedules.class,
          "goneAfter",
          (Duration time) -> time.minusNanos(1_000)),
      misreading(
          "takes no return of a definition for an edit",
          RegisterSchedules.class,
          "goneAfter",
          (Duration time) -> time.plusDays(9_000)),
      misreading(
          "removes occurrences as old as the cutoff",
          PruneOccurrences.class,
          "olderThan",
          SubtleFaults::later),
      misreading(
          "pauses schedules by the second", PauseSchedule.class, "now", SubtleFaults::seconds),
      misreading(
          "forgets who paused a schedule",
          PauseSchedule.class,
          "actor",
          (Actor actor) -> new Actor(actor.type(), null)),
      misreading(
          "resumes schedules by the second", ResumeSchedule.class, "now", SubtleFaults::seconds),
      misreading(
          "counts fires of a pause that ended a moment ago",
          ResumeSchedule.class,
          "now",
          SubtleFaults::earlier),
      misreading("lists one schedule too few", ListSchedules.class, "limit", SubtleFaults::oneLess),
      misreading(
          "finds the first of several schedules",
          FindSchedules.class,
          "names",
          SubtleFaults::first),
      misreading(
          "publishes the first of several tasks", PublishTasks.class, "tasks", SubtleFaults::first),
      misreading(
          "publishes tasks by the millisecond", PublishTasks.class, "now", SubtleFaults::millis),
      misreading("publishes tasks a moment late", PublishTasks.class, "now", SubtleFaults::later),
      misreading(
          "knows by the second when processes began",
          PublishTasks.class,
          "startedAt",
          SubtleFaults::seconds),
      misreading(
          "publishes tasks of a process in another case",
          PublishTasks.class,
          "processId",
          SubtleFaults::lower),
      misreading("lists one task too few", ListTasks.class, "limit", SubtleFaults::oneLess),
      misreading(
          "takes each version for none",
          PutDocument.class,
          "expectedVersion",
          (Long version) -> 0L),
      misreading(
          "changes documents of a kind in another case",
          PutDocument.class,
          "kind",
          SubtleFaults::lower),
      misreading(
          "changes documents by the millisecond", PutDocument.class, "now", SubtleFaults::millis),
      misreading(
          "forgets who changed a document",
          PutDocument.class,
          "actor",
          (Actor actor) -> new Actor(actor.type(), null)),
      misreading(
          "removes documents in another case", RemoveDocument.class, "name", SubtleFaults::lower),
      misreading("lists one document too few", ListDocuments.class, "limit", SubtleFaults::oneLess),
      misreading(
          "observes the first of several findings",
          ObserveAlerts.class,
          "findings",
          SubtleFaults::first),
      misreading(
          "observes alerts of a rule in another case",
          ObserveAlerts.class,
          "ruleId",
          SubtleFaults::lower),
      misreading(
          "observes alerts by the millisecond", ObserveAlerts.class, "now", SubtleFaults::millis),
      misreading("observes alerts a moment late", ObserveAlerts.class, "now", SubtleFaults::later),
      misreading(
          "tells the first of several channels",
          ObserveAlerts.class,
          "channels",
          SubtleFaults::first),
      misreading(
          "takes resolved alerts for open ones",
          ListAlerts.class,
          "isOpen",
          (Boolean open) -> !open),
      misreading(
          "lists alerts of a rule in another case",
          ListAlerts.class,
          "ruleId",
          SubtleFaults::lower),
      misreading("lists one alert too few", ListAlerts.class, "limit", SubtleFaults::oneLess),
      misreading(
          "claims what the first of several channels is told",
          ClaimAlertDeliveries.class,
          "channels",
          SubtleFaults::first),
      misreading(
          "claims what channels are told a moment late",
          ClaimAlertDeliveries.class,
          "now",
          SubtleFaults::earlier),
      misreading(
          "claims what channels are told for whole milliseconds",
          ClaimAlertDeliveries.class,
          "claimFor",
          SubtleFaults::wholeMillis),
      misreading(
          "claims one thing too many that channels are told",
          ClaimAlertDeliveries.class,
          "limit",
          SubtleFaults::oneMore),
      misreading(
          "knows the tokens of what channels are told in any case",
          FinishAlertDeliveries.class,
          "token",
          SubtleFaults::lower),
      misreading(
          "finishes all that channels are told but the last",
          FinishAlertDeliveries.class,
          "outcomes",
          SubtleFaults::butTheLast),
      misreading(
          "lists one occupied partition too few",
          ListOccupied.class,
          "limit",
          SubtleFaults::oneLess),
      misreading(
          "lists occupied partitions of a queue in another case",
          ListOccupied.class,
          "queue",
          SubtleFaults::lower));

  private SubtleFaults() {}

  private static AppendRunEvents unheld(AppendRunEvents append) {
    return new AppendRunEvents(
        append.environment(),
        append.runId(),
        append.expectedSequence(),
        append.events(),
        append.projectedRun(),
        append.queuePolicy(),
        append.now(),
        append.claimOutboxFor());
  }

  private static Instant later(Instant instant) {
    return instant.plusNanos(1_000);
  }

  private static Instant earlier(Instant instant) {
    return instant.minusNanos(1_000);
  }

  private static Instant millis(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS);
  }

  private static Instant seconds(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS);
  }

  private static Duration wholeMillis(Duration duration) {
    return Duration.ofMillis(Math.max(1, duration.toMillis()));
  }

  /** Whatever a malformed one is. */
  private static Integer oneLess(Integer number) {
    return number > 1 ? number - 1 : number;
  }

  private static Integer oneMore(Integer number) {
    return number > 0 && number < 1_000 ? number + 1 : number;
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  private static String stripped(String text) {
    return text.strip();
  }

  private static String composed(String text) {
    return Normalizer.normalize(text, Normalizer.Form.NFC);
  }

  private static List<String> lowers(List<String> texts) {
    return texts.stream().map(SubtleFaults::lower).toList();
  }

  private static List<MarkOutboxMessagesPublished.Published> ofLowerTokens(
      List<MarkOutboxMessagesPublished.Published> all) {
    return all.stream()
        .map(each -> new MarkOutboxMessagesPublished.Published(
            each.outboxMessageId(), lower(each.claimToken()), each.providerMessageId()))
        .toList();
  }

  private static List<?> first(List<?> all) {
    return all.subList(0, Math.min(1, all.size()));
  }

  private static List<?> butTheLast(List<?> all) {
    return all.subList(0, Math.max(Math.min(1, all.size()), all.size() - 1));
  }

  private static Map<String, String> firstTag(Map<String, String> tags) {
    return tags.isEmpty() ? tags : Map.ofEntries(new TreeMap<>(tags).firstEntry());
  }

  private static Map<String, EndFilter> firstWebhook(Map<String, EndFilter> webhooks) {
    return webhooks.isEmpty() ? webhooks : Map.ofEntries(new TreeMap<>(webhooks).firstEntry());
  }

  private static Map<String, EndFilter> forEveryEnd(Map<String, EndFilter> webhooks) {
    TreeMap<String, EndFilter> all = new TreeMap<>(webhooks);
    all.replaceAll((id, filter) -> EndFilter.ALL);
    return all;
  }
}
