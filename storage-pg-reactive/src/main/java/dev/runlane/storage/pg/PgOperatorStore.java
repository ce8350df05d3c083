package dev.runlane.storage.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.ActionFilter;
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
import dev.runlane.operator.depth.OutboxDepth;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.depth.StepDepth;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.operator.process.EndProcess;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.LeasesOf;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.process.RuntimeProcess;
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
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.pg.row.RunRows;
import dev.runlane.storage.pg.write.Outbox;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunCounts;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.transport.PartitionLag;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What operators are shown and do, in tables that no run's own transaction touches. */
final class PgOperatorStore implements OperatorStore {
  /** How many actions a page looks at whose filter the index of times does not have = {@value}. */
  static final int ACTIONS_LOOKED = 10_000;

  private static final int ACTION_LOOKED_AT = 10; // its column
  private static final Logger LOG = LoggerFactory.getLogger(PgOperatorStore.class);
  private static final SqlStatement<PgSession.Scoped<SignOfLife>> SIGN = PgSession.statement(
      "sign_of_life",
      new Parameters<SignOfLife>()
          .of(
              SignOfLife::process,
              new Parameters<RuntimeProcess>()
                  .value("process_id", RuntimeProcess::processId)
                  .value("host", RuntimeProcess::host)
                  .value("version", RuntimeProcess::version)
                  .texts("roles", RuntimeProcess::roles)
                  .texts("queues", RuntimeProcess::queues)
                  .texts("task_ids", RuntimeProcess::taskIds)
                  .texts("worker_ids", RuntimeProcess::workerIds)
                  .value("slots", RuntimeProcess::slots)
                  .value("running", RuntimeProcess::running)
                  .value(
                      "longest_lease_millis", process -> process.longestLease().toMillis())
                  .time("started_at", RuntimeProcess::startedAt)
                  .value("schema_version", process -> PgParts.SCHEMA_VERSION)
                  .rows(
                      RuntimeProcess::lags,
                      new Columns<PartitionLag>()
                          .texts("lag_topics", PartitionLag::topic)
                          .texts("lag_groups", PartitionLag::group)
                          .integers("lag_partitions", PartitionLag::partition)
                          .texts("lag_queues", PartitionLag::queue)
                          .longs("lag_records", PartitionLag::records)))
          .time("kept_from", each -> each.now().minus(GONE_KEPT))
          .time("now", SignOfLife::now));
  private static final SqlStatement<PgSession.Scoped<EndProcess>> END = PgSession.statement(
      "end_process", new Parameters<EndProcess>().value("process_id", EndProcess::processId));
  private static final Parameters<After> BY_ID = new Parameters<After>()
      .value("after_id", After::id)
      .value("limit", after -> after.limit() + 1);
  private static final SqlStatement<PgSession.Scoped<After>> PROCESSES =
      PgSession.statement("list_processes", BY_ID);
  private static final SqlStatement<PgSession.Scoped<LeasesOf>> LEASES = PgSession.statement(
      "leases_of_process",
      new Parameters<LeasesOf>()
          .value("process_id", LeasesOf::processId)
          .time("now", LeasesOf::now)
          .value("limit", LeasesOf::limit));
  private static final Parameters<OutboxAfter> BY_STATUS = new Parameters<OutboxAfter>()
      .value("status", each -> each.status().value())
      .of(OutboxAfter::after, BY_ID);
  private static final SqlStatement<PgSession.Scoped<OutboxAfter>> OUTBOX =
      PgSession.statement("list_outbox", BY_STATUS);
  private static final SqlStatement<PgSession.Scoped<OutboxAfter>> FAILED =
      PgSession.statement("list_failed_messages", BY_STATUS);
  private static final Parameters<RedriveOutbox> REDRIVEN = new Parameters<RedriveOutbox>()
      .value("limit", RedriveOutbox::limit)
      .time("now", RedriveOutbox::now);
  private static final SqlStatement<PgSession.Scoped<RedriveOutbox>> REDRIVE = PgSession.statement(
      "redrive_outbox", REDRIVEN.texts("message_ids", RedriveOutbox::messageIds));
  private static final SqlStatement<PgSession.Scoped<RedriveOutbox>> REDRIVE_DEAD_LETTERS =
      PgSession.statement("redrive_dead_letters", REDRIVEN.time("never", each -> Outbox.NEVER));
  /** Who did something. */
  static final Parameters<Actor> ACTOR = new Parameters<Actor>()
      .value("actor_type", actor -> actor.type().value())
      .value("actor_id", Actor::id);

  private static final SqlStatement<PgSession.Scoped<PauseQueue>> PAUSE = PgSession.statement(
      "pause_queue",
      new Parameters<PauseQueue>()
          .value("queue", PauseQueue::queue)
          .of(PauseQueue::actor, ACTOR)
          .value("reason", PauseQueue::reason)
          .time("now", PauseQueue::now));
  private static final SqlStatement<PgSession.Scoped<ResumeQueue>> RESUME = PgSession.statement(
      "resume_queue", new Parameters<ResumeQueue>().value("queue", ResumeQueue::queue));
  private static final SqlStatement<PgSession.Scoped<TakeResumedRuns>> TAKE_RESUMED =
      PgSession.statement(
          "take_resumed_queue",
          new Parameters<TakeResumedRuns>()
              .texts("queues", TakeResumedRuns::queues)
              .value("token", TakeResumedRuns::token)
              .time("now", TakeResumedRuns::now)
              .time("claim_until", each -> each.now().plus(each.claimFor())));
  private static final SqlStatement<PgSession.Scoped<ResumedAfter>> RESUMED_RUNS =
      PgSession.statement(
          "list_resumed_runs",
          new Parameters<ResumedAfter>()
              .texts("queues", after -> List.of(after.queue()))
              .time("until", ResumedAfter::until)
              .time("after_time", ResumedAfter::at)
              .value("after_id", ResumedAfter::runId)
              .value("limit", ResumedAfter::limit));
  private static final Parameters<FinishResumedRuns> RESUMED = new Parameters<FinishResumedRuns>()
      .value("queue", each -> each.taken().queue())
      .value("token", FinishResumedRuns::token);
  private static final SqlStatement<PgSession.Scoped<FinishResumedRuns>> FORGET_RESUMED =
      PgSession.statement("forget_resumed_queue", RESUMED);
  private static final SqlStatement<PgSession.Scoped<FinishResumedRuns>> ADVANCE_RESUMED =
      PgSession.statement(
          "advance_resumed_queue",
          RESUMED
              .time(
                  "last_time",
                  each -> last(each).map(RunnableRunRef::availableAt).orElse(null))
              .value("last_id", each -> last(each).map(RunnableRunRef::runId).orElse(null)));
  private static final SqlStatement<PgSession.Scoped<ListPausedQueues>> PAUSED =
      PgSession.statement("list_paused_queues", new Parameters<>());
  private static final SqlStatement<PgSession.Scoped<TakeSample>> BEGIN_SAMPLE =
      PgSession.statement(
          "begin_sample",
          new Parameters<TakeSample>()
              .time("now", TakeSample::now)
              .time("before", each -> each.now().minus(each.every()))
              .time("far_ahead", each -> each.now().plus(each.every())));
  private static final SqlStatement<PgSession.Scoped<TakeSample>> TAKE_SAMPLE = PgSession.statement(
      "take_sample",
      new Parameters<TakeSample>()
          .time("now", TakeSample::now)
          .time("gone_before", each -> each.now().minus(GONE_AFTER)));
  private static final SqlStatement<PgSession.Scoped<GetSample>> LATEST_SAMPLE =
      PgSession.statement("latest_sample", new Parameters<>());
  private static final SqlStatement<PgSession.Scoped<RecordAction>> RECORD = PgSession.statement(
      "record_action",
      new Parameters<RecordAction>()
          .value("action_id", RecordAction::id)
          .of(RecordAction::actor, ACTOR)
          .value("action", RecordAction::action)
          .value("target", RecordAction::target)
          .value("reason", RecordAction::reason)
          .time("now", RecordAction::now));
  private static final SqlStatement<PgSession.Scoped<FinishAction>> FINISH = PgSession.statement(
      "finish_action",
      new Parameters<FinishAction>()
          .value("action_id", FinishAction::id)
          .value("succeeded", FinishAction::succeeded)
          .value("result", FinishAction::result)
          .time("now", FinishAction::now));
  private static final SqlStatement<PgSession.Scoped<ActionsAfter>> ACTIONS = PgSession.statement(
      "list_actions",
      new Parameters<ActionsAfter>()
          .of(ActionsAfter::after, BY_ID.time("after_time", After::at))
          .of(
              ActionsAfter::filter,
              new Parameters<ActionFilter>()
                  .value("actor_id", ActionFilter::actor)
                  .value("action", ActionFilter::action)
                  .value("target", ActionFilter::target)
                  .time("begin", ActionFilter::from)
                  .time("until", ActionFilter::until))
          .value("looked", ActionsAfter::looked));
  private static final SqlStatement<PgSession.Scoped<PruneActions>> PRUNE_ACTIONS =
      PgSession.statement(
          "prune_actions",
          new Parameters<PruneActions>()
              .time("older_than", PruneActions::olderThan)
              .value("limit", PruneActions::limit));
  private static final SqlStatement<PgSession.Scoped<AddThroughput>> ADD_THROUGHPUT =
      PgSession.statement(
          "add_throughput",
          new Parameters<AddThroughput>()
              .rows(
                  AddThroughput::buckets,
                  new Columns<ThroughputBucket>()
                      .times("minutes", ThroughputBucket::minute)
                      .texts("queues", ThroughputBucket::queue)
                      .texts("task_ids", ThroughputBucket::taskId)
                      .texts("numbers", PgOperatorStore::numbersText)));
  private static final SqlStatement<PgSession.Scoped<MinutesAfter>> THROUGHPUT =
      PgSession.statement(
          "list_throughput",
          new Parameters<MinutesAfter>()
              .time("from", each -> each.query().from())
              .time("until", each -> each.query().until())
              .value("queue", each -> each.query().queue())
              .value("task_id", each -> each.query().taskId())
              .time("after_minute", MinutesAfter::minute)
              .value("after_queue", MinutesAfter::queue)
              .value("after_task", MinutesAfter::taskId)
              .value("limit", each -> each.limit() + 1));
  private static final SqlStatement<PgSession.Scoped<Integer>> FOLD_MINUTES =
      PgSession.statement("fold_minutes", new Parameters<Integer>().value("least", least -> least));
  private static final SqlStatement<PgSession.Scoped<ThroughputFolds>> FOLD_THROUGHPUT =
      PgSession.statement("fold_throughput", ThroughputFolds.PARAMETERS);
  private static final SqlStatement<PgSession.Scoped<PruneThroughput>> PRUNE_THROUGHPUT =
      PgSession.statement(
          "prune_throughput",
          new Parameters<PruneThroughput>()
              .time("older_than", PruneThroughput::olderThan)
              .value("limit", PruneThroughput::limit));
  private static final SqlStatement<PgSession.Scoped<AppendLogLines>> APPEND_LINES =
      PgSession.statement(
          "append_log_lines",
          new Parameters<AppendLogLines>()
              .rows(
                  AppendLogLines::lines,
                  new Columns<LogLine>()
                      .texts("run_ids", LogLine::runId)
                      .integers("attempts", LogLine::attempt)
                      .integers("numbers", LogLine::number)
                      .times("times", LogLine::at)
                      .texts("levels", line -> line.level().value())
                      .texts("lines", LogLine::text)
                      .texts("field_objects", PgOperatorStore::fieldsText)));
  private static final SqlStatement<PgSession.Scoped<LinesAfter>> LINES = PgSession.statement(
      "list_log_lines",
      new Parameters<LinesAfter>()
          .value("run_id", LinesAfter::runId)
          .value("after_attempt", LinesAfter::attempt)
          .value("after_number", LinesAfter::number)
          .value("limit", after -> after.limit() + 1));

  /** What is asked before each claim. */
  static final List<SqlStatement<?>> BEFORE_CLAIMS = List.of(PAUSED);

  static final List<SqlStatement<?>> STATEMENTS = List.of(
      SIGN,
      END,
      PROCESSES,
      LEASES,
      OUTBOX,
      FAILED,
      REDRIVE,
      REDRIVE_DEAD_LETTERS,
      PAUSE,
      RESUME,
      TAKE_RESUMED,
      RESUMED_RUNS,
      FORGET_RESUMED,
      ADVANCE_RESUMED,
      BEGIN_SAMPLE,
      TAKE_SAMPLE,
      LATEST_SAMPLE,
      RECORD,
      FINISH,
      ACTIONS,
      PRUNE_ACTIONS,
      ADD_THROUGHPUT,
      THROUGHPUT,
      FOLD_MINUTES,
      FOLD_THROUGHPUT,
      PRUNE_THROUGHPUT,
      APPEND_LINES,
      LINES);

  private final PgParts parts;
  private final PgSession session;
  private final Set<StorageCapability> capabilities;
  private final ScheduleDesk schedules;
  private final DocumentDesk documents;
  private final TaskDesk tasks;
  private final StepDesk steps;
  private final AlertDesk alerts;
  private final Lists lists;
  private final WebhookDesk webhooks;

  PgOperatorStore(PgParts parts, Set<StorageCapability> capabilities) {
    this.parts = parts;
    this.session = parts.session();
    this.capabilities = capabilities;
    this.schedules = new ScheduleDesk(parts);
    this.documents = new DocumentDesk(parts);
    this.tasks = new TaskDesk(parts);
    this.steps = new StepDesk(parts);
    this.alerts = new AlertDesk(parts);
    this.lists = new Lists(session);
    this.webhooks = new WebhookDesk(parts);
  }

  @Override
  public Future<Void> signOfLife(SignOfLife command) {
    return AdapterCall.of("signOfLife", () -> {
      OperatorChecks.check(command);
      return send("signOfLife", SIGN, command.environment(), command).mapEmpty();
    });
  }

  @Override
  public Future<Void> endProcess(EndProcess command) {
    return AdapterCall.of("endProcess", () -> {
      OperatorChecks.check(command);
      return send("endProcess", END, command.environment(), command).mapEmpty();
    });
  }

  @Override
  public Future<Void> publishTasks(PublishTasks command) {
    return AdapterCall.of("publishTasks", () -> {
      OperatorChecks.check(command);
      return tasks.publish(command);
    });
  }

  @Override
  public Future<Page<KnownTask>> listTasks(ListTasks query) {
    return AdapterCall.of("listTasks", () -> {
      OperatorChecks.check(query);
      return tasks.list(query);
    });
  }

  @Override
  public Future<Page<KnownProcess>> listProcesses(ListProcesses query) {
    return AdapterCall.of("listProcesses", () -> {
      OperatorChecks.check(query);
      Cursors cursors = Cursors.of(query);
      After after = After.id(cursors, query.cursor(), query.limit());
      return send("listProcesses", PROCESSES, query.environment(), after)
          .map(rows -> after.page(
              Lists.mapped(rows, PgOperatorStore::process),
              last -> cursors.encode(last.process().processId())));
    });
  }

  @Override
  public Future<List<HeldLease>> leasesOf(LeasesOf query) {
    return AdapterCall.of("leasesOf", () -> {
      OperatorChecks.check(query);
      Capabilities.require(capabilities, StorageCapability.LEASES_RUNS, "leasesOf");
      return send("leasesOf", LEASES, query.environment(), query)
          .map(rows -> Lists.mapped(
              rows,
              row -> new HeldLease(row.text(), row.text(), row.text(), row.text(), row.time())));
    });
  }

  @Override
  public Future<Page<WaitingStep>> listSteps(ListSteps query) {
    return AdapterCall.of("listSteps", () -> {
      OperatorChecks.check(query);
      Capabilities.require(capabilities, StorageCapability.PERSISTS_STEPS, "listSteps");
      return steps.list(query);
    });
  }

  @Override
  public Future<Page<StepGroup>> listStepGroups(ListStepGroups query) {
    return AdapterCall.of("listStepGroups", () -> {
      OperatorChecks.check(query);
      Capabilities.require(capabilities, StorageCapability.PERSISTS_STEPS, "listStepGroups");
      return steps.groups(query);
    });
  }

  @Override
  public Future<Page<OutboxEntry>> listOutbox(ListOutbox query) {
    return AdapterCall.of("listOutbox", () -> {
      OperatorChecks.check(query);
      Capabilities.require(capabilities, StorageCapability.PERSISTS_OUTBOX, "listOutbox");
      Cursors cursors = Cursors.of(query);
      After after = After.id(cursors, query.cursor(), query.limit());
      SqlStatement<PgSession.Scoped<OutboxAfter>> statement =
          switch (query.status()) {
            case FAILED, DEAD_LETTERED -> FAILED;
            default -> OUTBOX;
          };
      return send(
              "listOutbox", statement, query.environment(), new OutboxAfter(query.status(), after))
          .map(rows -> after.page(
              Lists.mapped(rows, PgOperatorStore::entry), last -> cursors.encode(last.id())));
    });
  }

  @Override
  public Future<List<String>> redriveOutbox(RedriveOutbox command) {
    return AdapterCall.of("redriveOutbox", () -> {
      OperatorChecks.check(command);
      Capabilities.require(capabilities, StorageCapability.PERSISTS_OUTBOX, "redriveOutbox");
      return send(
              "redriveOutbox",
              command.messageIds() == null ? REDRIVE_DEAD_LETTERS : REDRIVE,
              command.environment(),
              command)
          .map(rows -> Lists.mapped(rows, RowReader::text));
    });
  }

  @Override
  public Future<Boolean> pauseQueue(PauseQueue command) {
    return AdapterCall.of("pauseQueue", () -> {
      OperatorChecks.check(command);
      return send("pauseQueue", PAUSE, command.environment(), command).map(PgOperatorStore::hasRow);
    });
  }

  @Override
  public Future<Boolean> resumeQueue(ResumeQueue command) {
    return AdapterCall.of("resumeQueue", () -> {
      OperatorChecks.check(command);
      return send("resumeQueue", RESUME, command.environment(), command)
          .map(PgOperatorStore::hasRow);
    });
  }

  @Override
  public Future<Optional<ResumedRuns>> takeResumedRuns(TakeResumedRuns command) {
    return AdapterCall.of("takeResumedRuns", () -> {
      OperatorChecks.check(command);
      return send("takeResumedRuns", TAKE_RESUMED, command.environment(), command)
          .compose(claimed -> hasRow(claimed)
              ? resumedRuns(command, new RowReader(claimed.iterator().next())).map(Optional::of)
              : Future.succeededFuture(Optional.empty()));
    });
  }

  private Future<ResumedRuns> resumedRuns(TakeResumedRuns command, RowReader claim) {
    String queue = claim.text();
    Instant begun = claim.time();
    Instant settled = begun.plus(command.settleFor());
    boolean isSettled = command.now().isAfter(settled);
    ResumedAfter after = new ResumedAfter(
        queue,
        isSettled ? settled : begun,
        claim.timeOrNull(),
        claim.textOrNull(),
        command.limit());
    return send("takeResumedRuns", RESUMED_RUNS, command.environment(), after).map(rows -> {
      List<RunnableRunRef> runs = Lists.mapped(rows, RunRows::ref);
      return new ResumedRuns(queue, runs, isSettled && runs.size() < command.limit());
    });
  }

  @Override
  public Future<Boolean> finishResumedRuns(FinishResumedRuns command) {
    return AdapterCall.of("finishResumedRuns", () -> {
      OperatorChecks.check(command);
      return send(
              "finishResumedRuns",
              command.taken().isLast() ? FORGET_RESUMED : ADVANCE_RESUMED,
              command.environment(),
              command)
          .map(PgOperatorStore::hasRow);
    });
  }

  @Override
  public Future<List<PausedQueue>> listPausedQueues(ListPausedQueues query) {
    return AdapterCall.of("listPausedQueues", () -> {
      OperatorChecks.check(query);
      return send("listPausedQueues", PAUSED, query.environment(), query)
          .map(rows -> Lists.mapped(
              rows, row -> new PausedQueue(row.text(), actor(row), row.textOrNull(), row.time())));
    });
  }

  @Override
  public Future<Page<ScheduleState>> listSchedules(ListSchedules query) {
    return AdapterCall.of("listSchedules", () -> {
      OperatorChecks.check(query);
      requireSchedules("listSchedules");
      return schedules.list(query);
    });
  }

  @Override
  public Future<List<ScheduleState>> findSchedules(FindSchedules query) {
    return AdapterCall.of("findSchedules", () -> {
      OperatorChecks.check(query);
      requireSchedules("findSchedules");
      return schedules.find(query);
    });
  }

  @Override
  public Future<Boolean> pauseSchedule(PauseSchedule command) {
    return AdapterCall.of("pauseSchedule", () -> {
      OperatorChecks.check(command);
      requireSchedules("pauseSchedule");
      return schedules.pause(command);
    });
  }

  @Override
  public Future<Boolean> resumeSchedule(ResumeSchedule command) {
    return AdapterCall.of("resumeSchedule", () -> {
      OperatorChecks.check(command);
      requireSchedules("resumeSchedule");
      return schedules.resume(command);
    });
  }

  @Override
  public Future<Boolean> takeSample(TakeSample command) {
    return AdapterCall.of("takeSample", () -> {
      OperatorChecks.check(command);
      return send("takeSample", BEGIN_SAMPLE, command.environment(), command)
          .compose(begun -> hasRow(begun)
              ? send("takeSample", TAKE_SAMPLE, command.environment(), command).map(true)
              : Future.succeededFuture(false));
    });
  }

  @Override
  public Future<Optional<DepthSample>> latestSample(GetSample query) {
    return AdapterCall.of("latestSample", () -> {
      OperatorChecks.check(query);
      return send("latestSample", LATEST_SAMPLE, query.environment(), query)
          .map(PgOperatorStore::sample);
    });
  }

  @Override
  public Future<Void> recordAction(RecordAction command) {
    return AdapterCall.of("recordAction", () -> {
      OperatorChecks.check(command);
      return send("recordAction", RECORD, command.environment(), command).mapEmpty();
    });
  }

  @Override
  public Future<Boolean> finishAction(FinishAction command) {
    return AdapterCall.of("finishAction", () -> {
      OperatorChecks.check(command);
      return send("finishAction", FINISH, command.environment(), command)
          .map(PgOperatorStore::hasRow);
    });
  }

  @Override
  public Future<Page<OperatorAction>> listActions(ListActions query) {
    return AdapterCall.of("listActions", () -> {
      OperatorChecks.check(query);
      Cursors cursors = Cursors.of(query);
      After after = After.time(cursors, query.cursor(), query.limit());
      return send(
              "listActions", ACTIONS, query.environment(), new ActionsAfter(query.filter(), after))
          .map(rows -> actions(rows, after, cursors));
    });
  }

  @Override
  public Future<Integer> pruneActions(PruneActions command) {
    return AdapterCall.of("pruneActions", () -> {
      OperatorChecks.check(command);
      return send("pruneActions", PRUNE_ACTIONS, command.environment(), command)
          .map(RowSet::rowCount);
    });
  }

  @Override
  public Future<Void> addThroughput(AddThroughput command) {
    return AdapterCall.of("addThroughput", () -> {
      OperatorChecks.check(command);
      return command.buckets().isEmpty()
          ? Future.succeededFuture()
          : send("addThroughput", ADD_THROUGHPUT, command.environment(), command)
              .compose(added -> fold(command.environment(), ThroughputFolds.MOST_STEPS));
    });
  }

  /** What is left is read minute by minute, and folded next time. */
  private Future<Void> fold(Environment environment, int steps) {
    return send("folding throughput", FOLD_MINUTES, environment, ThroughputFolds.LEAST_GRAIN)
        .compose(rows -> new RowReader(rows.iterator().next()).number() == 0 || steps == 1
            ? Future.<Void>succeededFuture()
            : fold(environment, steps - 1))
        .otherwise(failure -> {
          LOG.warn(
              "Throughput was added and is not folded yet; it is with what is added next", failure);
          return null;
        });
  }

  @Override
  public Future<Page<ThroughputBucket>> listThroughput(ListThroughput query) {
    return AdapterCall.of("listThroughput", () -> {
      OperatorChecks.check(query);
      Cursors cursors = Cursors.of(query);
      int limit = CommandChecks.pageLimit(query.limit());
      MinutesAfter after = cursors
          .decode(query.cursor(), 3)
          .map(parts -> new MinutesAfter(
              query, Cursors.instant(parts.get(0)), parts.get(1), parts.get(2), limit))
          .orElse(new MinutesAfter(query, null, null, null, limit));
      return send("listThroughput", THROUGHPUT, query.environment(), after)
          .map(rows -> new After(null, null, limit)
              .page(
                  Lists.mapped(rows, PgOperatorStore::bucket),
                  last -> cursors.encode(last.minute().toString(), last.queue(), last.taskId())));
    });
  }

  @Override
  public Future<FoldedThroughput> foldThroughput(FoldThroughput query) {
    return AdapterCall.of("foldThroughput", () -> {
      OperatorChecks.check(query);
      ThroughputFolds folds = ThroughputFolds.of(query);
      return send("foldThroughput", FOLD_THROUGHPUT, query.environment(), folds).map(folds::added);
    });
  }

  @Override
  public Future<RunCounts> countRuns(CountRuns query) {
    return AdapterCall.of("countRuns", () -> {
      OperatorChecks.check(query);
      return parts.alone(query.environment(), scope -> lists.counts(scope, query));
    });
  }

  @Override
  public Future<Integer> pruneThroughput(PruneThroughput command) {
    return AdapterCall.of("pruneThroughput", () -> {
      OperatorChecks.check(command);
      return send("pruneThroughput", PRUNE_THROUGHPUT, command.environment(), command)
          .map(RowSet::rowCount);
    });
  }

  @Override
  public Future<Void> appendLogLines(AppendLogLines command) {
    return AdapterCall.of("appendLogLines", () -> {
      OperatorChecks.check(command);
      return command.lines().isEmpty()
          ? Future.succeededFuture()
          : send("appendLogLines", APPEND_LINES, command.environment(), command).mapEmpty();
    });
  }

  @Override
  public Future<List<TaggedRun>> findTags(FindTags query) {
    return AdapterCall.of("findTags", () -> {
      OperatorChecks.check(query);
      return parts.alone(query.environment(), scope -> lists.tags(scope, query));
    });
  }

  @Override
  public Future<Page<RunSummary>> listTaggedRuns(ListTaggedRuns query) {
    return AdapterCall.of("listTaggedRuns", () -> {
      OperatorChecks.check(query);
      return parts.alone(query.environment(), scope -> lists.tagged(scope, query));
    });
  }

  @Override
  public Future<Void> registerWebhooks(RegisterWebhooks command) {
    return AdapterCall.of("registerWebhooks", () -> {
      OperatorChecks.check(command);
      return webhooks.register(command);
    });
  }

  @Override
  public Future<List<WebhookDelivery>> claimWebhookDeliveries(ClaimWebhookDeliveries command) {
    return AdapterCall.of("claimWebhookDeliveries", () -> {
      OperatorChecks.check(command);
      return webhooks.claim(command);
    });
  }

  @Override
  public Future<Void> finishWebhookDeliveries(FinishWebhookDeliveries command) {
    return AdapterCall.of("finishWebhookDeliveries", () -> {
      OperatorChecks.check(command);
      return webhooks.finish(command);
    });
  }

  @Override
  public Future<Page<LogLine>> listLogLines(ListLogLines query) {
    return AdapterCall.of("listLogLines", () -> {
      OperatorChecks.check(query);
      Cursors cursors = Cursors.of(query);
      int limit = CommandChecks.pageLimit(query.limit());
      LinesAfter after = cursors
          .decode(query.cursor(), 2)
          .map(parts -> new LinesAfter(
              query.runId(), Cursors.number(parts.get(0)), Cursors.number(parts.get(1)), limit))
          .orElse(new LinesAfter(query.runId(), null, null, limit));
      return send("listLogLines", LINES, query.environment(), after)
          .map(rows -> new After(null, null, limit)
              .page(
                  Lists.mapped(rows, PgOperatorStore::line),
                  last -> cursors.encode(
                      String.valueOf(last.attempt()), String.valueOf(last.number()))));
    });
  }

  @Override
  public Future<List<OccupiedPartition>> listOccupied(ListOccupied query) {
    return AdapterCall.of("listOccupied", () -> {
      OperatorChecks.check(query);
      return documents.occupied(query);
    });
  }

  @Override
  public Future<Optional<Long>> putDocument(PutDocument command) {
    return AdapterCall.of("putDocument", () -> {
      OperatorChecks.check(command);
      return documents.put(command);
    });
  }

  @Override
  public Future<Boolean> removeDocument(RemoveDocument command) {
    return AdapterCall.of("removeDocument", () -> {
      OperatorChecks.check(command);
      return documents.remove(command);
    });
  }

  @Override
  public Future<Page<OperatorDocument>> listDocuments(ListDocuments query) {
    return AdapterCall.of("listDocuments", () -> {
      OperatorChecks.check(query);
      return documents.list(query);
    });
  }

  @Override
  public Future<Void> observeAlerts(ObserveAlerts command) {
    return AdapterCall.of("observeAlerts", () -> {
      OperatorChecks.check(command);
      return alerts.observe(command);
    });
  }

  @Override
  public Future<Page<Alert>> listAlerts(ListAlerts query) {
    return AdapterCall.of("listAlerts", () -> {
      OperatorChecks.check(query);
      return alerts.list(query);
    });
  }

  @Override
  public Future<List<AlertDelivery>> claimAlertDeliveries(ClaimAlertDeliveries command) {
    return AdapterCall.of("claimAlertDeliveries", () -> {
      OperatorChecks.check(command);
      return alerts.claim(command);
    });
  }

  @Override
  public Future<Void> finishAlertDeliveries(FinishAlertDeliveries command) {
    return AdapterCall.of("finishAlertDeliveries", () -> {
      OperatorChecks.check(command);
      return alerts.finish(command);
    });
  }

  private void requireSchedules(String method) {
    Capabilities.require(capabilities, StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES, method);
  }

  private <C> Future<RowSet<Row>> send(
      String method,
      SqlStatement<PgSession.Scoped<C>> statement,
      Environment environment,
      C given) {
    return parts
        .alone(environment, scope -> session.execute(statement, scope, given))
        .recover(PgFailures.during(method));
  }

  private static boolean hasRow(RowSet<Row> rows) {
    return rows.size() > 0;
  }

  /** One of a kind that only a later release knows acts for nobody in particular, but keeps its id. */
  static Actor actor(RowReader row) {
    String type = row.text();
    String id = row.textOrNull();
    return Arrays.stream(Actor.Type.values())
        .filter(each -> each.value().equals(type))
        .findFirst()
        .map(found -> new Actor(found, id))
        .orElseGet(() -> new Actor(Actor.Type.SYSTEM, id));
  }

  private static KnownProcess process(RowReader row) {
    String processId = row.text();
    String host = row.text();
    String version = row.text();
    List<String> roles = row.texts();
    List<String> queues = row.texts();
    List<String> taskIds = row.texts();
    List<String> workerIds = row.texts();
    int slots = row.count();
    int running = row.count();
    Duration longestLease = Duration.ofMillis(row.number());
    Instant startedAt = row.time();
    Instant lastSeen = row.time();
    Long clockOffsetMillis = row.numberOrNull();
    RuntimeProcess process = new RuntimeProcess(
        processId,
        host,
        version,
        roles,
        queues,
        taskIds,
        workerIds,
        slots,
        running,
        longestLease,
        startedAt,
        lags(row));
    return new KnownProcess(
        process, lastSeen, clockOffsetMillis == null ? null : Duration.ofMillis(clockOffsetMillis));
  }

  private static List<PartitionLag> lags(RowReader row) {
    List<String> topics = row.texts();
    List<String> groups = row.texts();
    List<Integer> partitions = row.counts();
    List<String> queues = row.texts();
    List<Long> records = row.numbers();
    List<PartitionLag> lags = new ArrayList<>();
    for (int place = 0; place < topics.size(); place++) {
      lags.add(new PartitionLag(
          topics.get(place),
          groups.get(place),
          partitions.get(place),
          queues.get(place),
          records.get(place)));
    }
    return lags;
  }

  private static OutboxEntry entry(RowReader row) {
    String id = row.text();
    String runId = row.text();
    String queue = row.text();
    OutboxMessageStatus status = OutboxMessageStatus.valueOf(row.text().toUpperCase(Locale.ROOT));
    Instant availableAt = row.time();
    Instant nextAt = row.time();
    return new OutboxEntry(
        id,
        runId,
        queue,
        status,
        availableAt,
        status == OutboxMessageStatus.CLAIMED ? nextAt : null,
        row.count(),
        RunRows.failure(row.jsonOrNull()));
  }

  private static Optional<DepthSample> sample(RowSet<Row> rows) {
    if (!hasRow(rows)) {
      return Optional.empty();
    }
    List<QueueDepth> queues = new ArrayList<>();
    Instant takenAt = Instant.EPOCH;
    OutboxDepth outbox = new OutboxDepth(0, 0, 0, 0, null);
    List<StepDepth> steps = List.of();
    for (Row each : rows) {
      RowReader row = new RowReader(each);
      takenAt = row.time();
      String queue = row.textOrNull();
      if (queue == null) {
        row.skip(4);
      } else {
        queues.add(
            new QueueDepth(queue, row.number(), row.number(), row.number(), row.timeOrNull()));
      }
      outbox =
          new OutboxDepth(row.number(), row.number(), row.number(), row.number(), row.timeOrNull());
      steps = steps(each);
    }
    return Optional.of(new DepthSample(takenAt, queues, outbox, steps));
  }

  private static List<StepDepth> steps(Row sample) {
    String[] groups = sample.getArrayOfStrings("step_groups");
    Long[] waiting = sample.getArrayOfLongs("steps_waiting");
    OffsetDateTime[] oldest = sample.getArrayOfOffsetDateTimes("steps_oldest");
    List<StepDepth> steps = new ArrayList<>();
    for (int place = 0; place < groups.length; place++) {
      steps.add(new StepDepth(groups[place], waiting[place], oldest[place].toInstant()));
    }
    return steps;
  }

  /** It goes on behind its last row where there are more, else behind the last that was looked at. */
  private static Page<OperatorAction> actions(RowSet<Row> rows, After after, Cursors cursors) {
    List<OperatorAction> found = new ArrayList<>(rows.size());
    String looked = null;
    for (Row row : rows) {
      if (row.getString(0) != null) {
        found.add(action(new RowReader(row)));
      }
      OffsetDateTime at = row.getOffsetDateTime(ACTION_LOOKED_AT);
      looked = at == null
          ? null
          : cursors.encode(at.toInstant().toString(), row.getString(ACTION_LOOKED_AT + 1));
    }
    Page<OperatorAction> page =
        after.page(found, last -> cursors.encode(last.at().toString(), last.id()));
    return page.nextCursor() == null ? new Page<>(found, looked) : page;
  }

  private static OperatorAction action(RowReader row) {
    return new OperatorAction(
        row.text(),
        actor(row),
        row.text(),
        row.textOrNull(),
        row.textOrNull(),
        row.time(),
        row.flagOrNull(),
        row.textOrNull(),
        row.timeOrNull());
  }

  private static LogLine line(RowReader row) {
    String runId = row.text();
    int attempt = row.count();
    int number = row.count();
    Instant at = row.time();
    LogLevel level = LogLevel.ofValue(row.text()).orElse(LogLevel.INFO); // one of a later release
    String text = row.text();
    Map<String, String> fields = RunRows.trace(row.jsonOrNull());
    return new LogLine(runId, attempt, number, at, level, text, fields == null ? Map.of() : fields);
  }

  private static ThroughputBucket bucket(RowReader row) {
    Instant minute = row.time();
    String queue = row.text();
    String taskId = row.text();
    String numbers = row.text();
    return ThroughputBucket.of(
        minute,
        queue,
        taskId,
        Arrays.stream(numbers.substring(1, numbers.length() - 1).split(","))
            .map(Long::valueOf)
            .toList());
  }

  /** An array as Postgres reads it. */
  private static String numbersText(ThroughputBucket bucket) {
    return bucket.numbers().stream()
        .map(String::valueOf)
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static @Nullable String fieldsText(LogLine line) {
    return line.fields().isEmpty() ? null : RunRows.traceText(line.fields());
  }

  private record MinutesAfter(
      ListThroughput query,
      @Nullable Instant minute,
      @Nullable String queue,
      @Nullable String taskId,
      int limit) {}

  private record LinesAfter(
      String runId, @Nullable Long attempt, @Nullable Long number, int limit) {}

  /** Behind which a page begins; null where it is the first. */
  private record After(@Nullable Instant at, @Nullable String id, int limit) {
    static After id(Cursors cursors, @Nullable String cursor, @Nullable Integer limit) {
      String id = cursors.decode(cursor, 1).map(parts -> parts.get(0)).orElse(null);
      return new After(null, id, CommandChecks.pageLimit(limit));
    }

    static After time(Cursors cursors, @Nullable String cursor, @Nullable Integer limit) {
      int wanted = CommandChecks.pageLimit(limit);
      return cursors
          .decode(cursor, 2)
          .map(parts -> new After(Cursors.instant(parts.get(0)), parts.get(1), wanted))
          .orElse(new After(null, null, wanted));
    }

    <T> Page<T> page(List<T> found, Function<T, String> cursor) {
      return found.size() <= limit
          ? new Page<>(found, null)
          : new Page<>(found.subList(0, limit), cursor.apply(found.get(limit - 1)));
    }
  }

  private static Optional<RunnableRunRef> last(FinishResumedRuns command) {
    List<RunnableRunRef> runs = command.taken().runs();
    return runs.isEmpty() ? Optional.empty() : Optional.of(runs.get(runs.size() - 1));
  }

  private record ResumedAfter(
      String queue,
      Instant until,
      @Nullable Instant at,
      @Nullable String runId,
      int limit) {}

  private record ActionsAfter(ActionFilter filter, After after) {
    /** The index has times alone; 0 is no bound. */
    int looked() {
      boolean hasIndex =
          filter.actor() == null && filter.action() == null && filter.target() == null;
      return hasIndex ? 0 : ACTIONS_LOOKED;
    }
  }

  private record OutboxAfter(OutboxMessageStatus status, After after) {}
}
