package dev.runlane.operator;

import dev.runlane.operator.action.FinishAction;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.action.PruneActions;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertDelivery;
import dev.runlane.operator.alert.ClaimAlertDeliveries;
import dev.runlane.operator.alert.FinishAlertDeliveries;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.operator.process.EndProcess;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.LeasesOf;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.queue.FinishResumedRuns;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.OccupiedPartition;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.operator.step.ListStepGroups;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.tag.TaggedRun;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.FoldedThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunCounts;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What an operator is shown and does beside the runs themselves: a capability beside {@link
 * dev.runlane.storage.StorageAdapter} with the same rules. Everything belongs to one environment. No run's own command
 * reads or writes any of it, so it slows none down.
 */
public interface OperatorStore {
  /** How often a living process writes a sign of life = 5 s. */
  Duration SIGN_INTERVAL = SignOfLife.INTERVAL;

  /** After how long without one it is gone, three signs of life being missed = 15 s. */
  Duration GONE_AFTER = KnownProcess.GONE_AFTER;

  /** For how long minutes of throughput are kept = 14 days. */
  Duration THROUGHPUT_KEPT = Duration.ofDays(14);

  /** For how long a process that is gone is still listed = 1 day. */
  Duration GONE_KEPT = Duration.ofDays(1);

  /** For how long ends are kept for a webhook that nobody registers any more = 7 days. */
  Duration WEBHOOK_KEPT = Duration.ofDays(7);

  /** For how long a task is remembered that nobody publishes any more = 7 days. */
  Duration TASKS_KEPT = Duration.ofDays(7);

  /** For how long alerts are kept after they were resolved = 30 days. */
  Duration ALERTS_KEPT = Duration.ofDays(30);

  /**
   * Writes what a process is and does, in place of what it wrote before, and that it lives at {@code now}. Forgets
   * processes whose last sign of life is more than {@link #GONE_KEPT} before; where there are many, some of them, and
   * the others with the next ones.
   */
  Future<Void> signOfLife(SignOfLife command);

  /** Forgets a process that ends in order. An unknown one is no failure. */
  Future<Void> endProcess(EndProcess command);

  /**
   * Keeps what a process says of its tasks. What another process said of one stays where that process has a handler
   * and this one has none, or else began later; unless nobody has said it again for more than {@link
   * KnownTask#STALE_AFTER}. Forgets tasks that were published last more than {@link #TASKS_KEPT} before; where there
   * are many, some of them, and the others with the next command. All of it or nothing.
   */
  Future<Void> publishTasks(PublishTasks command);

  /** One page of the tasks that are known, by their ids. */
  Future<Page<KnownTask>> listTasks(ListTasks query);

  /** One page of the processes that are known, living or gone, by their ids. */
  Future<Page<KnownProcess>> listProcesses(ListProcesses query);

  /**
   * The leases that workers of a process hold and that have not expired at {@code now}, those that end first first: of
   * a process that is gone, the runs that nobody works on although nobody else may claim them yet. Empty for an unknown
   * process. A storage may leave out leases in queues that the last sign of life did not name, and those that end later
   * than the longest lease that it named. Fails with {@code CapabilityUnsupported} where the storage leases no runs.
   */
  Future<List<HeldLease>> leasesOf(LeasesOf query);

  /**
   * One page of the remote steps that have no result, of runs that have ended too while their tasks are not taken
   * away, by their ids. Empty for an unknown run. Fails with {@code CapabilityUnsupported} where the storage keeps no
   * steps.
   */
  Future<Page<WaitingStep>> listSteps(ListSteps query);

  /**
   * The groups whose workers the remote steps of active runs wait for, by their names; without a next page. A storage
   * may count among the first 10 000 steps by their ids alone, and then says that others may be missing ({@link
   * Page#isCut}). Fails with {@code CapabilityUnsupported} where the storage keeps no steps.
   */
  Future<Page<StepGroup>> listStepGroups(ListStepGroups query);

  /**
   * One page of the outbox messages of a status, by their ids. Fails with {@code CapabilityUnsupported} where the
   * storage persists no outbox, as {@link #redriveOutbox} does.
   */
  Future<Page<OutboxEntry>> listOutbox(ListOutbox query);

  /**
   * Makes messages that are dead-lettered or failed pending again, due at {@code now}, as if no publish of them had
   * ever failed; answers their ids in order. Those that are neither, any more, are left as they are, and so are those
   * that somebody else is changing at the moment.
   */
  Future<List<String>> redriveOutbox(RedriveOutbox command);

  /**
   * Pauses a queue, whether or not any process has it. True when it was not paused; a queue that is paused already
   * keeps who paused it and why. The storage only remembers: processes that read it stop claiming.
   */
  Future<Boolean> pauseQueue(PauseQueue command);

  /**
   * Resumes a queue. True when it was paused; then the storage remembers, with the resume itself, that runs of the
   * queue wait whose wakeups were ignored, until {@link #finishResumedRuns} has been notified of the last.
   */
  Future<Boolean> resumeQueue(ResumeQueue command);

  /**
   * The next runs of a queue that was resumed, in an unbounded queue and {@code queued}, those that wait longest first:
   * whoever ignored a wakeup of one of them had read that the queue is paused. Of the queues that are asked for, the
   * one that was taken least lately and is neither paused again nor claimed; empty where there is none. Its claim ends
   * with {@link #finishResumedRuns}, or {@code claimFor} after {@code now}, and then the same runs may be taken again.
   * The last ones are reported as such once {@code settleFor} is over since the queue was taken first, so that runs are
   * among them that a process with a faster clock has made due. A storage that does not know which queues are bounded
   * gives queued runs of bounded ones too: who publishes their wakeups again changes nothing.
   */
  Future<Optional<ResumedRuns>> takeResumedRuns(TakeResumedRuns command);

  /**
   * The next that are taken are those behind these; after the last, the storage forgets that the queue was resumed.
   * True where the claim was still held; else nothing changes: it expired and somebody else took the queue, or the
   * queue was resumed again, which begins anew.
   */
  Future<Boolean> finishResumedRuns(FinishResumedRuns command);

  /** The queues that are paused, by their names. */
  Future<List<PausedQueue>> listPausedQueues(ListPausedQueues query);

  /**
   * One page of the schedules that were ever registered, by task and schedule id. Fails with {@code
   * CapabilityUnsupported} where the storage claims no schedule occurrences, as the other methods on schedules do.
   */
  Future<Page<ScheduleState>> listSchedules(ListSchedules query);

  /** Those of the named schedules that were ever registered, in the order of their names. */
  Future<List<ScheduleState>> findSchedules(FindSchedules query);

  /**
   * Pauses a schedule. True when it was not paused; one that is paused already keeps who paused it and why. The
   * storage only remembers: schedulers that read it make no runs. Fails with {@code ScheduleNotFound} for one that was
   * never registered.
   */
  Future<Boolean> pauseSchedule(PauseSchedule command);

  /**
   * Resumes a schedule. True when it was paused; then each of its definitions counts from {@code now} at the earliest,
   * so that fires of the pause are none of the schedule's. Fails with {@code ScheduleNotFound} for one that was never
   * registered.
   */
  Future<Boolean> resumeSchedule(ResumeSchedule command);

  /**
   * Counts what waits in the queues and in the outbox, and keeps the counts in place of those before, unless a sample
   * was begun less than {@code every} before {@code now}. True when this call did. Of many that call at once, one does.
   */
  Future<Boolean> takeSample(TakeSample command);

  /** The latest counts, or empty before the first. Counts nothing. */
  Future<Optional<DepthSample>> latestSample(GetSample query);

  /**
   * Records an action that is about to be done and belongs to no run's history. Recording one with an id that is there
   * already changes nothing.
   */
  Future<Void> recordAction(RecordAction command);

  /** Records how an action ended. True the first time; false, and nothing changes, afterwards and for an unknown id. */
  Future<Boolean> finishAction(FinishAction command);

  /** One page of the recorded actions that fit a filter, the latest first. */
  Future<Page<OperatorAction>> listActions(ListActions query);

  /**
   * Removes the earliest actions that were recorded before {@code olderThan}, ended or not; answers how many. Those
   * that somebody else is removing or ending at the moment are left.
   */
  Future<Integer> pruneActions(PruneActions command);

  /**
   * Adds to what is counted already of the same minute, queue and task, by any process. All of it or nothing. A call
   * whose answer was lost may be sent again, and then counts twice.
   */
  Future<Void> addThroughput(AddThroughput command);

  /** One page of minutes in which anything was counted: by minute, then queue, then task. */
  Future<Page<ThroughputBucket>> listThroughput(ListThroughput query);

  /**
   * Minutes in which anything was counted, added up over equal steps of time, for charts. A storage may read no more
   * rows than a bound, those of the latest steps, and then says from when on its answer is whole. A step of which some
   * minutes were pruned may still have them.
   */
  Future<FoldedThroughput> foldThroughput(FoldThroughput query);

  /** Removes the earliest minutes that began before {@code olderThan}; answers how many rows. */
  Future<Integer> pruneThroughput(PruneThroughput command);

  /**
   * Keeps lines that handlers wrote until their runs are pruned. A line whose place is taken already is left out, so
   * the same call may be sent again. Of a run that does not exist, or does not exist any more, nothing is kept.
   */
  Future<Void> appendLogLines(AppendLogLines command);

  /**
   * The tags of those of the runs that have some, by the ids of the runs. They are those of the run's creation,
   * stored with it, and go with it when it is pruned.
   */
  Future<List<TaggedRun>> findTags(FindTags query);

  /**
   * How many runs of each status fit a filter, up to a number. Where no index has the filter, a storage may look at its
   * newest runs alone, and then says that there may be more.
   */
  Future<RunCounts> countRuns(CountRuns query);

  /** One page of the runs that have all of the tags and fit the filter, in the order of their creation. */
  Future<Page<RunSummary>> listTaggedRuns(ListTaggedRuns query);

  /**
   * Says which ends webhooks are notified of, in place of what was said before. Each end that is committed after this
   * completes, by a process of whichever release, and that fits, has a delivery from its own transaction on. A
   * webhook that nobody registers for {@link #WEBHOOK_KEPT} gets no more deliveries, and is forgotten with those that
   * are left when others, or none, are registered.
   */
  Future<Void> registerWebhooks(RegisterWebhooks command);

  /**
   * Gives up to {@code limit} due deliveries of the webhooks to the caller, those that are due longest first. One that
   * somebody else holds is not given before the claim ends; a run's end is one delivery for each webhook. The end of a
   * run with the id of a pruned one takes the place of an end of that one which is left to tell, and ends its claim.
   */
  Future<List<WebhookDelivery>> claimWebhookDeliveries(ClaimWebhookDeliveries command);

  /** Removes deliveries or makes them due again. Of those that the token does not hold any more, nothing changes. */
  Future<Void> finishWebhookDeliveries(FinishWebhookDeliveries command);

  /** One page of the lines of a run, by attempt and place. Empty for a run that does not exist. */
  Future<Page<LogLine>> listLogLines(ListLogLines query);

  /**
   * The partitions of a bounded queue that hold slots, the fullest first and then by their keys: leased runs, whether
   * their lease has expired or not, and reservations that have not; a storage may count one that has expired until
   * somebody clears it. Of a queue without a limit, a storage need not know.
   */
  Future<List<OccupiedPartition>> listOccupied(ListOccupied query);

  /**
   * Makes a document or changes it; answers its version. Empty, and nothing changes, where another version is there
   * than was expected: somebody else was faster. Versions of a document that is made anew after it was removed begin
   * with 1 again, so one that is expected may be that of the later document.
   */
  Future<Optional<Long>> putDocument(PutDocument command);

  /** Removes a document; true when it was there. */
  Future<Boolean> removeDocument(RemoveDocument command);

  /** One page of the documents of a kind, by their names. */
  Future<Page<OperatorDocument>> listDocuments(ListDocuments query);

  /**
   * Opens an alert for each subject that has none open of the rule, keeps those that have, and resolves open ones about
   * any other subject. A channel is to be told once that an alert is open, also where it is named first when that was
   * open already; who was to be told so is to be told when it is resolved. All of it or nothing. Forgets alerts
   * that were resolved more than {@link #ALERTS_KEPT} before. An id that an alert has already opens no other, so that a
   * command whose answer was lost, sent again when its alert has been resolved, does not open that again.
   */
  Future<Void> observeAlerts(ObserveAlerts command);

  /** One page of the alerts, those that were opened last first; of several at one instant, the last by its id first. */
  Future<Page<Alert>> listAlerts(ListAlerts query);

  /**
   * Gives up to {@code limit} due deliveries of the channels to the caller, those that are due longest first. One that
   * somebody else holds is not given before the claim ends, and that an alert is resolved not before the same channel's
   * delivery that it is open has ended.
   */
  Future<List<AlertDelivery>> claimAlertDeliveries(ClaimAlertDeliveries command);

  /** Ends deliveries or makes them due again. Of those that the token does not hold any more, nothing changes. */
  Future<Void> finishAlertDeliveries(FinishAlertDeliveries command);
}
