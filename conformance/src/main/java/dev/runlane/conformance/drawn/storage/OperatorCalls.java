package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.model.LookAtPending;
import dev.runlane.conformance.model.ModelOutbox;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.FinishAction;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.PruneActions;
import dev.runlane.operator.action.RecordAction;
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
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.operator.process.EndProcess;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.LeasesOf;
import dev.runlane.operator.process.ListProcesses;
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
import dev.runlane.operator.step.ListStepGroups;
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
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.run.Identifiers;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Which method of the model and which of an {@link OperatorStore} a command is for. */
final class OperatorCalls {
  private OperatorCalls() {}

  static void addAll() {
    add(SignOfLife.class, (model, it) -> model.processes.sign(it), OperatorStore::signOfLife);
    add(EndProcess.class, (model, it) -> model.processes.end(it), OperatorStore::endProcess);
    add(ListProcesses.class, (model, it) -> model.processes.list(it), OperatorCalls::processes);
    addFree(
        LeasesOf.class,
        (model, it, answer) -> model.processes.leases(it, answer),
        OperatorStore::leasesOf);

    add(ListSteps.class, (model, it) -> model.steps.page(it), OperatorStore::listSteps);
    add(ListStepGroups.class, (model, it) -> model.steps.groups(it), OperatorStore::listStepGroups);

    addFree(
        ListOutbox.class,
        (model, it, answer) -> model.outbox.list(it, answer),
        OperatorStore::listOutbox);
    add(LookAtPending.class, (model, it) -> model.outbox.pending(it), OperatorCalls::pending);
    add(RedriveOutbox.class, (model, it) -> model.outbox.redrive(it), OperatorStore::redriveOutbox);

    add(PauseQueue.class, (model, it) -> model.pauses.pause(it), OperatorStore::pauseQueue);
    add(ResumeQueue.class, (model, it) -> model.pauses.resume(it), OperatorStore::resumeQueue);
    add(
        ListPausedQueues.class,
        (model, it) -> model.pauses.list(it),
        OperatorStore::listPausedQueues);
    addFree(
        TakeResumedRuns.class,
        (model, it, answer) -> model.pauses.take(it, answer),
        OperatorStore::takeResumedRuns);
    add(
        FinishResumedRuns.class,
        (model, it) -> model.pauses.finish(it),
        OperatorStore::finishResumedRuns);

    add(ListSchedules.class, (model, it) -> model.schedules.list(it), OperatorStore::listSchedules);
    add(FindSchedules.class, (model, it) -> model.schedules.find(it), OperatorStore::findSchedules);
    add(
        PauseSchedule.class,
        (model, it) -> model.schedules.pause(it),
        OperatorStore::pauseSchedule);
    add(
        ResumeSchedule.class,
        (model, it) -> model.schedules.resume(it),
        OperatorStore::resumeSchedule);

    add(TakeSample.class, (model, it) -> model.depths.take(it), OperatorStore::takeSample);
    addFree(
        GetSample.class,
        (model, it, answer) -> model.depths.latest(it, answer),
        OperatorStore::latestSample);

    add(RecordAction.class, (model, it) -> model.records.record(it), OperatorStore::recordAction);
    add(FinishAction.class, (model, it) -> model.records.finish(it), OperatorStore::finishAction);
    add(ListActions.class, (model, it) -> model.records.list(it), OperatorStore::listActions);
    add(PruneActions.class, (model, it) -> model.records.prune(it), OperatorStore::pruneActions);
    add(AddThroughput.class, (model, it) -> model.records.add(it), OperatorStore::addThroughput);
    add(ListThroughput.class, (model, it) -> model.records.list(it), OperatorStore::listThroughput);
    add(FoldThroughput.class, (model, it) -> model.records.fold(it), OperatorStore::foldThroughput);
    add(
        PruneThroughput.class,
        (model, it) -> model.records.prune(it),
        OperatorStore::pruneThroughput);
    add(
        AppendLogLines.class,
        (model, it) -> model.records.append(it),
        OperatorStore::appendLogLines);
    add(ListLogLines.class, (model, it) -> model.records.list(it), OperatorStore::listLogLines);
    add(FindTags.class, (model, it) -> model.records.find(it), OperatorStore::findTags);
    add(CountRuns.class, (model, it) -> model.records.count(it), OperatorStore::countRuns);
    add(ListTaggedRuns.class, (model, it) -> model.records.list(it), OperatorStore::listTaggedRuns);

    add(
        RegisterWebhooks.class,
        (model, it) -> model.webhooks.register(it),
        OperatorStore::registerWebhooks);
    addFree(
        ClaimWebhookDeliveries.class,
        (model, it, answer) -> model.webhooks.claim(it, answer),
        OperatorStore::claimWebhookDeliveries);
    add(
        FinishWebhookDeliveries.class,
        (model, it) -> model.webhooks.finish(it),
        OperatorStore::finishWebhookDeliveries);

    add(PublishTasks.class, (model, it) -> model.tasks.publish(it), OperatorStore::publishTasks);
    add(ListTasks.class, (model, it) -> model.tasks.list(it), OperatorStore::listTasks);
    add(PutDocument.class, (model, it) -> model.documents.put(it), OperatorStore::putDocument);
    add(
        RemoveDocument.class,
        (model, it) -> model.documents.remove(it),
        OperatorStore::removeDocument);
    add(ListDocuments.class, (model, it) -> model.documents.list(it), OperatorStore::listDocuments);
    add(ObserveAlerts.class, (model, it) -> model.alerts.observe(it), OperatorStore::observeAlerts);
    add(ListAlerts.class, (model, it) -> model.alerts.list(it), OperatorStore::listAlerts);
    addFree(
        ClaimAlertDeliveries.class,
        (model, it, answer) -> model.alerts.claim(it, answer),
        OperatorStore::claimAlertDeliveries);
    add(
        FinishAlertDeliveries.class,
        (model, it) -> model.alerts.finish(it),
        OperatorStore::finishAlertDeliveries);
    addFree(
        ListOccupied.class,
        (model, it, answer) -> model.depths.occupied(it, answer),
        OperatorStore::listOccupied);
  }

  /** Without what the storage says of clocks, by its own one. */
  private static Future<Page<KnownProcess>> processes(OperatorStore store, ListProcesses query) {
    return store
        .listProcesses(query)
        .map(page -> new Page<>(
            page.data().stream()
                .map(each -> new KnownProcess(each.process(), each.lastSeen()))
                .toList(),
            page.nextCursor()));
  }

  private static Future<LookAtPending.Answer> pending(OperatorStore store, LookAtPending look) {
    return store.listOutbox(look.list()).map(page -> {
      List<String> ids = page.data().stream().map(OutboxEntry::id).toList();
      return new LookAtPending.Answer(
          ModelOutbox.inOrder(page.data().stream()),
          ids.equals(ids.stream().sorted(Identifiers.ORDER).distinct().toList()));
    });
  }

  private static <C, A extends @Nullable Object> void add(
      Class<C> command,
      BiFunction<StorageModel, C, ? extends @Nullable Object> model,
      BiFunction<OperatorStore, C, Future<A>> store) {
    addFree(command, (of, given, answer) -> model.apply(of, given), store);
  }

  private static <C, A extends @Nullable Object> void addFree(
      Class<C> command,
      Calls.Expectation<C, A> model,
      BiFunction<OperatorStore, C, Future<A>> store) {
    Calls.addFree(
        command, model, (storage, given) -> store.apply(storage.operator().orElseThrow(), given));
  }
}
