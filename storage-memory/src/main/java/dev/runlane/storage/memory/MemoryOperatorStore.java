package dev.runlane.storage.memory;

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
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunCounts;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What operators are shown and do, each command under one hold of the lock. */
final class MemoryOperatorStore implements OperatorStore {
  private final MemoryState state;
  private final Set<StorageCapability> capabilities;

  MemoryOperatorStore(MemoryState state, Set<StorageCapability> capabilities) {
    this.state = state;
    this.capabilities = capabilities;
  }

  @Override
  public Future<Void> signOfLife(SignOfLife command) {
    return state.call("signOfLife", () -> {
      OperatorChecks.check(command);
      return state.change(command.environment(), scope -> scope.operator.signOfLife(command));
    });
  }

  @Override
  public Future<Void> endProcess(EndProcess command) {
    return state.call("endProcess", () -> {
      OperatorChecks.check(command);
      return state.change(
          command.environment(), scope -> scope.operator.endProcess(command.processId()));
    });
  }

  @Override
  public Future<Void> publishTasks(PublishTasks command) {
    return state.call("publishTasks", () -> {
      OperatorChecks.check(command);
      return state.change(command.environment(), scope -> scope.tasks.publish(command));
    });
  }

  @Override
  public Future<Page<KnownTask>> listTasks(ListTasks query) {
    return state.call("listTasks", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.tasks.list(query));
    });
  }

  @Override
  public Future<Page<KnownProcess>> listProcesses(ListProcesses query) {
    return state.call("listProcesses", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.operator.processes(query));
    });
  }

  @Override
  public Future<List<HeldLease>> leasesOf(LeasesOf query) {
    return state.call("leasesOf", () -> {
      OperatorChecks.check(query);
      Capabilities.require(capabilities, StorageCapability.LEASES_RUNS, "leasesOf");
      return state.in(query.environment(), scope -> scope
          .operator
          .process(query.processId())
          .map(
              known -> scope.depths.leases(known.process().workerIds(), query.now(), query.limit()))
          .orElse(List.of()));
    });
  }

  @Override
  public Future<Page<WaitingStep>> listSteps(ListSteps query) {
    return state.call("listSteps", () -> {
      OperatorChecks.check(query);
      Capabilities.require(capabilities, StorageCapability.PERSISTS_STEPS, "listSteps");
      return state.in(query.environment(), scope -> scope.steps.page(query));
    });
  }

  @Override
  public Future<Page<StepGroup>> listStepGroups(ListStepGroups query) {
    return state.call("listStepGroups", () -> {
      OperatorChecks.check(query);
      Capabilities.require(capabilities, StorageCapability.PERSISTS_STEPS, "listStepGroups");
      return state.in(query.environment(), scope -> new Page<>(scope.steps.groups(), null));
    });
  }

  @Override
  public Future<Page<OutboxEntry>> listOutbox(ListOutbox query) {
    return state.call("listOutbox", () -> {
      OperatorChecks.check(query);
      Capabilities.require(capabilities, StorageCapability.PERSISTS_OUTBOX, "listOutbox");
      return state.in(query.environment(), scope -> scope.outbox.list(query));
    });
  }

  @Override
  public Future<List<String>> redriveOutbox(RedriveOutbox command) {
    return state.call("redriveOutbox", () -> {
      OperatorChecks.check(command);
      Capabilities.require(capabilities, StorageCapability.PERSISTS_OUTBOX, "redriveOutbox");
      return state.in(command.environment(), scope -> scope.outbox.redrive(command));
    });
  }

  @Override
  public Future<Boolean> pauseQueue(PauseQueue command) {
    return state.call("pauseQueue", () -> {
      OperatorChecks.check(command);
      return state.in(command.environment(), scope -> scope.operator.pause(command));
    });
  }

  @Override
  public Future<Boolean> resumeQueue(ResumeQueue command) {
    return state.call("resumeQueue", () -> {
      OperatorChecks.check(command);
      return state.in(command.environment(), scope -> {
        boolean resumed = scope.operator.resume(command.queue());
        if (resumed) {
          scope.resumed.begin(command.queue());
        }
        return resumed;
      });
    });
  }

  @Override
  public Future<Optional<ResumedRuns>> takeResumedRuns(TakeResumedRuns command) {
    return state.call("takeResumedRuns", () -> {
      OperatorChecks.check(command);
      return state.in(
          command.environment(), scope -> scope.resumed.take(command, scope.operator::isPaused));
    });
  }

  @Override
  public Future<Boolean> finishResumedRuns(FinishResumedRuns command) {
    return state.call("finishResumedRuns", () -> {
      OperatorChecks.check(command);
      return state.in(command.environment(), scope -> scope.resumed.finish(command));
    });
  }

  @Override
  public Future<List<PausedQueue>> listPausedQueues(ListPausedQueues query) {
    return state.call("listPausedQueues", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.operator.paused());
    });
  }

  @Override
  public Future<Page<ScheduleState>> listSchedules(ListSchedules query) {
    return state.call("listSchedules", () -> {
      OperatorChecks.check(query);
      Capabilities.require(
          capabilities, StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES, "listSchedules");
      return state.in(query.environment(), scope -> scope.schedules.list(query));
    });
  }

  @Override
  public Future<List<ScheduleState>> findSchedules(FindSchedules query) {
    return state.call("findSchedules", () -> {
      OperatorChecks.check(query);
      Capabilities.require(
          capabilities, StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES, "findSchedules");
      return state.in(query.environment(), scope -> scope.schedules.find(query.names()));
    });
  }

  @Override
  public Future<Boolean> pauseSchedule(PauseSchedule command) {
    return state.call("pauseSchedule", () -> {
      OperatorChecks.check(command);
      Capabilities.require(
          capabilities, StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES, "pauseSchedule");
      return state.in(command.environment(), scope -> scope.schedules.pause(command));
    });
  }

  @Override
  public Future<Boolean> resumeSchedule(ResumeSchedule command) {
    return state.call("resumeSchedule", () -> {
      OperatorChecks.check(command);
      Capabilities.require(
          capabilities, StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES, "resumeSchedule");
      return state.in(command.environment(), scope -> scope.schedules.resume(command));
    });
  }

  @Override
  public Future<Boolean> takeSample(TakeSample command) {
    return state.call("takeSample", () -> {
      OperatorChecks.check(command);
      return state.in(
          command.environment(),
          scope -> scope.operator.sample(command, () -> scope.depths.at(command.now())));
    });
  }

  @Override
  public Future<Optional<DepthSample>> latestSample(GetSample query) {
    return state.call("latestSample", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.operator.sample());
    });
  }

  @Override
  public Future<Void> recordAction(RecordAction command) {
    return state.call("recordAction", () -> {
      OperatorChecks.check(command);
      return state.change(command.environment(), scope -> scope.operator.record(command));
    });
  }

  @Override
  public Future<Boolean> finishAction(FinishAction command) {
    return state.call("finishAction", () -> {
      OperatorChecks.check(command);
      return state.in(command.environment(), scope -> scope.operator.finish(command));
    });
  }

  @Override
  public Future<Page<OperatorAction>> listActions(ListActions query) {
    return state.call("listActions", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.operator.actions(query));
    });
  }

  @Override
  public Future<Integer> pruneActions(PruneActions command) {
    return state.call("pruneActions", () -> {
      OperatorChecks.check(command);
      return state.in(command.environment(), scope -> scope.operator.prune(command));
    });
  }

  @Override
  public Future<Void> addThroughput(AddThroughput command) {
    return state.call("addThroughput", () -> {
      OperatorChecks.check(command);
      return state.change(command.environment(), scope -> scope.throughput.add(command));
    });
  }

  @Override
  public Future<Page<ThroughputBucket>> listThroughput(ListThroughput query) {
    return state.call("listThroughput", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.throughput.list(query));
    });
  }

  @Override
  public Future<FoldedThroughput> foldThroughput(FoldThroughput query) {
    return state.call("foldThroughput", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.throughput.fold(query));
    });
  }

  @Override
  public Future<RunCounts> countRuns(CountRuns query) {
    return state.call("countRuns", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.lists.counts(query));
    });
  }

  @Override
  public Future<Integer> pruneThroughput(PruneThroughput command) {
    return state.call("pruneThroughput", () -> {
      OperatorChecks.check(command);
      return state.in(command.environment(), scope -> scope.throughput.prune(command));
    });
  }

  @Override
  public Future<Void> appendLogLines(AppendLogLines command) {
    return state.call("appendLogLines", () -> {
      OperatorChecks.check(command);
      return state.change(command.environment(), scope -> scope.logLines.append(command));
    });
  }

  @Override
  public Future<List<TaggedRun>> findTags(FindTags query) {
    return state.call("findTags", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.lists.tags(query.runIds()));
    });
  }

  @Override
  public Future<Page<RunSummary>> listTaggedRuns(ListTaggedRuns query) {
    return state.call("listTaggedRuns", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.lists.tagged(query));
    });
  }

  @Override
  public Future<Void> registerWebhooks(RegisterWebhooks command) {
    return state.call("registerWebhooks", () -> {
      OperatorChecks.check(command);
      return state.change(command.environment(), scope -> scope.webhooks.register(command));
    });
  }

  @Override
  public Future<List<WebhookDelivery>> claimWebhookDeliveries(ClaimWebhookDeliveries command) {
    return state.call("claimWebhookDeliveries", () -> {
      OperatorChecks.check(command);
      return state.in(command.environment(), scope -> scope.webhooks.claim(command));
    });
  }

  @Override
  public Future<Void> finishWebhookDeliveries(FinishWebhookDeliveries command) {
    return state.call("finishWebhookDeliveries", () -> {
      OperatorChecks.check(command);
      return state.change(command.environment(), scope -> scope.webhooks.finish(command));
    });
  }

  @Override
  public Future<Page<LogLine>> listLogLines(ListLogLines query) {
    return state.call("listLogLines", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.logLines.list(query));
    });
  }

  @Override
  public Future<List<OccupiedPartition>> listOccupied(ListOccupied query) {
    return state.call("listOccupied", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.runs.slots().occupied(query));
    });
  }

  @Override
  public Future<Optional<Long>> putDocument(PutDocument command) {
    return state.call("putDocument", () -> {
      OperatorChecks.check(command);
      return state.in(command.environment(), scope -> scope.documents.put(command));
    });
  }

  @Override
  public Future<Boolean> removeDocument(RemoveDocument command) {
    return state.call("removeDocument", () -> {
      OperatorChecks.check(command);
      return state.in(command.environment(), scope -> scope.documents.remove(command));
    });
  }

  @Override
  public Future<Page<OperatorDocument>> listDocuments(ListDocuments query) {
    return state.call("listDocuments", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.documents.list(query));
    });
  }

  @Override
  public Future<Void> observeAlerts(ObserveAlerts command) {
    return state.call("observeAlerts", () -> {
      OperatorChecks.check(command);
      return state.change(command.environment(), scope -> scope.alerts.observe(command));
    });
  }

  @Override
  public Future<Page<Alert>> listAlerts(ListAlerts query) {
    return state.call("listAlerts", () -> {
      OperatorChecks.check(query);
      return state.in(query.environment(), scope -> scope.alerts.list(query));
    });
  }

  @Override
  public Future<List<AlertDelivery>> claimAlertDeliveries(ClaimAlertDeliveries command) {
    return state.call("claimAlertDeliveries", () -> {
      OperatorChecks.check(command);
      return state.in(command.environment(), scope -> scope.alerts.claim(command));
    });
  }

  @Override
  public Future<Void> finishAlertDeliveries(FinishAlertDeliveries command) {
    return state.call("finishAlertDeliveries", () -> {
      OperatorChecks.check(command);
      return state.change(command.environment(), scope -> scope.alerts.finish(command));
    });
  }
}
