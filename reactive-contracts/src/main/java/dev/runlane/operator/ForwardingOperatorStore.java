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
import java.util.List;
import java.util.Optional;

/** Does what another store does; subclasses change some of it. */
public class ForwardingOperatorStore implements OperatorStore {
  private final OperatorStore delegate;

  /** Forwards to {@code delegate}. */
  public ForwardingOperatorStore(OperatorStore delegate) {
    this.delegate = delegate;
  }

  @Override
  public Future<Void> signOfLife(SignOfLife command) {
    return delegate.signOfLife(command);
  }

  @Override
  public Future<Void> endProcess(EndProcess command) {
    return delegate.endProcess(command);
  }

  @Override
  public Future<Void> publishTasks(PublishTasks command) {
    return delegate.publishTasks(command);
  }

  @Override
  public Future<Page<KnownTask>> listTasks(ListTasks query) {
    return delegate.listTasks(query);
  }

  @Override
  public Future<Page<KnownProcess>> listProcesses(ListProcesses query) {
    return delegate.listProcesses(query);
  }

  @Override
  public Future<List<HeldLease>> leasesOf(LeasesOf query) {
    return delegate.leasesOf(query);
  }

  @Override
  public Future<Page<WaitingStep>> listSteps(ListSteps query) {
    return delegate.listSteps(query);
  }

  @Override
  public Future<Page<StepGroup>> listStepGroups(ListStepGroups query) {
    return delegate.listStepGroups(query);
  }

  @Override
  public Future<Page<OutboxEntry>> listOutbox(ListOutbox query) {
    return delegate.listOutbox(query);
  }

  @Override
  public Future<List<String>> redriveOutbox(RedriveOutbox command) {
    return delegate.redriveOutbox(command);
  }

  @Override
  public Future<Boolean> pauseQueue(PauseQueue command) {
    return delegate.pauseQueue(command);
  }

  @Override
  public Future<Boolean> resumeQueue(ResumeQueue command) {
    return delegate.resumeQueue(command);
  }

  @Override
  public Future<Optional<ResumedRuns>> takeResumedRuns(TakeResumedRuns command) {
    return delegate.takeResumedRuns(command);
  }

  @Override
  public Future<Boolean> finishResumedRuns(FinishResumedRuns command) {
    return delegate.finishResumedRuns(command);
  }

  @Override
  public Future<List<PausedQueue>> listPausedQueues(ListPausedQueues query) {
    return delegate.listPausedQueues(query);
  }

  @Override
  public Future<Page<ScheduleState>> listSchedules(ListSchedules query) {
    return delegate.listSchedules(query);
  }

  @Override
  public Future<List<ScheduleState>> findSchedules(FindSchedules query) {
    return delegate.findSchedules(query);
  }

  @Override
  public Future<Boolean> pauseSchedule(PauseSchedule command) {
    return delegate.pauseSchedule(command);
  }

  @Override
  public Future<Boolean> resumeSchedule(ResumeSchedule command) {
    return delegate.resumeSchedule(command);
  }

  @Override
  public Future<Boolean> takeSample(TakeSample command) {
    return delegate.takeSample(command);
  }

  @Override
  public Future<Optional<DepthSample>> latestSample(GetSample query) {
    return delegate.latestSample(query);
  }

  @Override
  public Future<Void> recordAction(RecordAction command) {
    return delegate.recordAction(command);
  }

  @Override
  public Future<Boolean> finishAction(FinishAction command) {
    return delegate.finishAction(command);
  }

  @Override
  public Future<Page<OperatorAction>> listActions(ListActions query) {
    return delegate.listActions(query);
  }

  @Override
  public Future<Integer> pruneActions(PruneActions command) {
    return delegate.pruneActions(command);
  }

  @Override
  public Future<Void> addThroughput(AddThroughput command) {
    return delegate.addThroughput(command);
  }

  @Override
  public Future<Page<ThroughputBucket>> listThroughput(ListThroughput query) {
    return delegate.listThroughput(query);
  }

  @Override
  public Future<FoldedThroughput> foldThroughput(FoldThroughput query) {
    return delegate.foldThroughput(query);
  }

  @Override
  public Future<RunCounts> countRuns(CountRuns query) {
    return delegate.countRuns(query);
  }

  @Override
  public Future<Integer> pruneThroughput(PruneThroughput command) {
    return delegate.pruneThroughput(command);
  }

  @Override
  public Future<Void> appendLogLines(AppendLogLines command) {
    return delegate.appendLogLines(command);
  }

  @Override
  public Future<List<TaggedRun>> findTags(FindTags query) {
    return delegate.findTags(query);
  }

  @Override
  public Future<Page<RunSummary>> listTaggedRuns(ListTaggedRuns query) {
    return delegate.listTaggedRuns(query);
  }

  @Override
  public Future<Void> registerWebhooks(RegisterWebhooks command) {
    return delegate.registerWebhooks(command);
  }

  @Override
  public Future<List<WebhookDelivery>> claimWebhookDeliveries(ClaimWebhookDeliveries command) {
    return delegate.claimWebhookDeliveries(command);
  }

  @Override
  public Future<Void> finishWebhookDeliveries(FinishWebhookDeliveries command) {
    return delegate.finishWebhookDeliveries(command);
  }

  @Override
  public Future<Page<LogLine>> listLogLines(ListLogLines query) {
    return delegate.listLogLines(query);
  }

  @Override
  public Future<List<OccupiedPartition>> listOccupied(ListOccupied query) {
    return delegate.listOccupied(query);
  }

  @Override
  public Future<Optional<Long>> putDocument(PutDocument command) {
    return delegate.putDocument(command);
  }

  @Override
  public Future<Boolean> removeDocument(RemoveDocument command) {
    return delegate.removeDocument(command);
  }

  @Override
  public Future<Page<OperatorDocument>> listDocuments(ListDocuments query) {
    return delegate.listDocuments(query);
  }

  @Override
  public Future<Void> observeAlerts(ObserveAlerts command) {
    return delegate.observeAlerts(command);
  }

  @Override
  public Future<Page<Alert>> listAlerts(ListAlerts query) {
    return delegate.listAlerts(query);
  }

  @Override
  public Future<List<AlertDelivery>> claimAlertDeliveries(ClaimAlertDeliveries command) {
    return delegate.claimAlertDeliveries(command);
  }

  @Override
  public Future<Void> finishAlertDeliveries(FinishAlertDeliveries command) {
    return delegate.finishAlertDeliveries(command);
  }
}
