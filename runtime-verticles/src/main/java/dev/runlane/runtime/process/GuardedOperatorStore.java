package dev.runlane.runtime.process;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.operator.OperatorStore;
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
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunCounts;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What a storage keeps for operators: what throws or answers null fails the future. */
record GuardedOperatorStore(OperatorStore store) implements OperatorStore {
  @Override
  public Future<Void> signOfLife(SignOfLife command) {
    return AdapterCall.of("operator.signOfLife", () -> store.signOfLife(command));
  }

  @Override
  public Future<Void> endProcess(EndProcess command) {
    return AdapterCall.of("operator.endProcess", () -> store.endProcess(command));
  }

  @Override
  public Future<Void> publishTasks(PublishTasks command) {
    return AdapterCall.of("operator.publishTasks", () -> store.publishTasks(command));
  }

  @Override
  public Future<Page<KnownTask>> listTasks(ListTasks query) {
    return answer("operator.listTasks", () -> store.listTasks(query));
  }

  @Override
  public Future<Page<KnownProcess>> listProcesses(ListProcesses query) {
    return answer("operator.listProcesses", () -> store.listProcesses(query));
  }

  @Override
  public Future<List<HeldLease>> leasesOf(LeasesOf query) {
    return answer("operator.leasesOf", () -> store.leasesOf(query));
  }

  @Override
  public Future<Page<WaitingStep>> listSteps(ListSteps query) {
    return answer("operator.listSteps", () -> store.listSteps(query));
  }

  @Override
  public Future<Page<StepGroup>> listStepGroups(ListStepGroups query) {
    return answer("operator.listStepGroups", () -> store.listStepGroups(query));
  }

  @Override
  public Future<Page<OutboxEntry>> listOutbox(ListOutbox query) {
    return answer("operator.listOutbox", () -> store.listOutbox(query));
  }

  @Override
  public Future<List<String>> redriveOutbox(RedriveOutbox command) {
    return answer("operator.redriveOutbox", () -> store.redriveOutbox(command));
  }

  @Override
  public Future<Boolean> pauseQueue(PauseQueue command) {
    return answer("operator.pauseQueue", () -> store.pauseQueue(command));
  }

  @Override
  public Future<Boolean> resumeQueue(ResumeQueue command) {
    return answer("operator.resumeQueue", () -> store.resumeQueue(command));
  }

  @Override
  public Future<Optional<ResumedRuns>> takeResumedRuns(TakeResumedRuns command) {
    return answer("operator.takeResumedRuns", () -> store.takeResumedRuns(command));
  }

  @Override
  public Future<Boolean> finishResumedRuns(FinishResumedRuns command) {
    return answer("operator.finishResumedRuns", () -> store.finishResumedRuns(command));
  }

  @Override
  public Future<List<PausedQueue>> listPausedQueues(ListPausedQueues query) {
    return answer("operator.listPausedQueues", () -> store.listPausedQueues(query));
  }

  @Override
  public Future<Page<ScheduleState>> listSchedules(ListSchedules query) {
    return answer("operator.listSchedules", () -> store.listSchedules(query));
  }

  @Override
  public Future<List<ScheduleState>> findSchedules(FindSchedules query) {
    return answer("operator.findSchedules", () -> store.findSchedules(query));
  }

  @Override
  public Future<Boolean> pauseSchedule(PauseSchedule command) {
    return answer("operator.pauseSchedule", () -> store.pauseSchedule(command));
  }

  @Override
  public Future<Boolean> resumeSchedule(ResumeSchedule command) {
    return answer("operator.resumeSchedule", () -> store.resumeSchedule(command));
  }

  @Override
  public Future<Boolean> takeSample(TakeSample command) {
    return answer("operator.takeSample", () -> store.takeSample(command));
  }

  @Override
  public Future<Optional<DepthSample>> latestSample(GetSample query) {
    return answer("operator.latestSample", () -> store.latestSample(query));
  }

  @Override
  public Future<Void> recordAction(RecordAction command) {
    return AdapterCall.of("operator.recordAction", () -> store.recordAction(command));
  }

  @Override
  public Future<Boolean> finishAction(FinishAction command) {
    return answer("operator.finishAction", () -> store.finishAction(command));
  }

  @Override
  public Future<Page<OperatorAction>> listActions(ListActions query) {
    return answer("operator.listActions", () -> store.listActions(query));
  }

  @Override
  public Future<Integer> pruneActions(PruneActions command) {
    return answer("operator.pruneActions", () -> store.pruneActions(command));
  }

  @Override
  public Future<Void> addThroughput(AddThroughput command) {
    return AdapterCall.of("operator.addThroughput", () -> store.addThroughput(command));
  }

  @Override
  public Future<Page<ThroughputBucket>> listThroughput(ListThroughput query) {
    return answer("operator.listThroughput", () -> store.listThroughput(query));
  }

  @Override
  public Future<FoldedThroughput> foldThroughput(FoldThroughput query) {
    return answer("operator.foldThroughput", () -> store.foldThroughput(query));
  }

  @Override
  public Future<RunCounts> countRuns(CountRuns query) {
    return answer("operator.countRuns", () -> store.countRuns(query));
  }

  @Override
  public Future<Integer> pruneThroughput(PruneThroughput command) {
    return answer("operator.pruneThroughput", () -> store.pruneThroughput(command));
  }

  @Override
  public Future<Void> appendLogLines(AppendLogLines command) {
    return AdapterCall.of("operator.appendLogLines", () -> store.appendLogLines(command));
  }

  @Override
  public Future<List<TaggedRun>> findTags(FindTags query) {
    return answer("operator.findTags", () -> store.findTags(query));
  }

  @Override
  public Future<Page<RunSummary>> listTaggedRuns(ListTaggedRuns query) {
    return answer("operator.listTaggedRuns", () -> store.listTaggedRuns(query));
  }

  @Override
  public Future<Void> registerWebhooks(RegisterWebhooks command) {
    return AdapterCall.of("operator.registerWebhooks", () -> store.registerWebhooks(command));
  }

  @Override
  public Future<List<WebhookDelivery>> claimWebhookDeliveries(ClaimWebhookDeliveries command) {
    return answer("operator.claimWebhookDeliveries", () -> store.claimWebhookDeliveries(command));
  }

  @Override
  public Future<Void> finishWebhookDeliveries(FinishWebhookDeliveries command) {
    return AdapterCall.of(
        "operator.finishWebhookDeliveries", () -> store.finishWebhookDeliveries(command));
  }

  @Override
  public Future<Page<LogLine>> listLogLines(ListLogLines query) {
    return answer("operator.listLogLines", () -> store.listLogLines(query));
  }

  @Override
  public Future<List<OccupiedPartition>> listOccupied(ListOccupied query) {
    return answer("operator.listOccupied", () -> store.listOccupied(query));
  }

  @Override
  public Future<Optional<Long>> putDocument(PutDocument command) {
    return answer("operator.putDocument", () -> store.putDocument(command));
  }

  @Override
  public Future<Boolean> removeDocument(RemoveDocument command) {
    return answer("operator.removeDocument", () -> store.removeDocument(command));
  }

  @Override
  public Future<Page<OperatorDocument>> listDocuments(ListDocuments query) {
    return answer("operator.listDocuments", () -> store.listDocuments(query));
  }

  @Override
  public Future<Void> observeAlerts(ObserveAlerts command) {
    return AdapterCall.of("operator.observeAlerts", () -> store.observeAlerts(command));
  }

  @Override
  public Future<Page<Alert>> listAlerts(ListAlerts query) {
    return answer("operator.listAlerts", () -> store.listAlerts(query));
  }

  @Override
  public Future<List<AlertDelivery>> claimAlertDeliveries(ClaimAlertDeliveries command) {
    return answer("operator.claimAlertDeliveries", () -> store.claimAlertDeliveries(command));
  }

  @Override
  public Future<Void> finishAlertDeliveries(FinishAlertDeliveries command) {
    return AdapterCall.of(
        "operator.finishAlertDeliveries", () -> store.finishAlertDeliveries(command));
  }

  private static <T> Future<T> answer(String method, Supplier<Future<T>> call) {
    return AdapterCall.of(method, call)
        .compose(value -> value != null
            ? Future.succeededFuture(value)
            : Future.failedFuture(RunlaneException.adapterContractViolation(
                "%s completed with null instead of an answer", method)));
  }
}
