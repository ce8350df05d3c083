package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Given;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.FinishAction;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.action.PruneActions;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.depth.OutboxDepth;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.depth.TakeSample;
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
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.queue.FinishResumedRuns;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.FoldedThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunCounts;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Storages that keep wrongly what operators are shown and do: together every case of the suite notices one. */
final class BrokenOperatorStores {
  private static final Environment EVERYWHERE = new Environment("everywhere");

  static final List<BrokenAdapter<StorageAdapter>> ALL = Stream.of(
          processes(),
          outbox(),
          pauses(),
          resumes(),
          BrokenScheduleDesks.ALL,
          BrokenTags.ALL,
          BrokenWebhooks.ALL,
          BrokenAlerts.ALL,
          BrokenTasks.ALL,
          BrokenOperatorAmounts.ALL,
          depths(),
          actions(),
          lines(),
          throughput(),
          runCounts())
      .flatMap(List::stream)
      .toList();

  private BrokenOperatorStores() {}

  private static List<BrokenAdapter<StorageAdapter>> processes() {
    return List.of(
        that(
            "keeps no process",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Void> signOfLife(SignOfLife command) {
                return Future.succeededFuture();
              }
            }),
            "Processes.a_process_is_listed_with_all_that_it_said_and_when",
            "Processes.a_sign_of_life_replaces_the_one_before",
            "Processes.how_far_a_process_is_behind_by_partition_is_what_it_told_last",
            "Processes.the_leases_of_a_process_are_those_of_its_workers_that_have_not_expired",
            "Processes.malformed_commands_are_refused"),
        that(
            "forgets how far a process is behind",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Void> signOfLife(SignOfLife command) {
                RuntimeProcess process = command.process();
                RuntimeProcess without = new RuntimeProcess(
                    process.processId(),
                    process.host(),
                    process.version(),
                    process.roles(),
                    process.queues(),
                    process.taskIds(),
                    process.workerIds(),
                    process.slots(),
                    process.running(),
                    process.longestLease(),
                    process.startedAt());
                return super.signOfLife(
                    new SignOfLife(command.environment(), without, command.now()));
              }
            }),
            "Processes.how_far_a_process_is_behind_by_partition_is_what_it_told_last",
            "Processes.malformed_commands_are_refused"),
        that(
            "forgets no process",
            store(real -> new ForwardingOperatorStore(real) {
              private final Map<String, KnownProcess> known = new TreeMap<>();

              @Override
              public Future<Page<KnownProcess>> listProcesses(ListProcesses query) {
                return super.listProcesses(query).map(page -> remembering(page));
              }

              private Page<KnownProcess> remembering(Page<KnownProcess> page) {
                page.data().forEach(each -> known.put(each.process().processId(), each));
                return new Page<>(List.copyOf(known.values()), page.nextCursor());
              }
            }),
            "Processes.a_process_is_gone_after_three_missed_signs_of_life_and_listed_for_a_day"),
        that(
            "lists a process on that has ended",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Void> endProcess(EndProcess command) {
                return Future.succeededFuture();
              }
            }),
            "Processes.a_process_that_ends_in_order_is_forgotten_at_once"),
        that(
            "lists all processes in one page",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Page<KnownProcess>> listProcesses(ListProcesses query) {
                return super.listProcesses(
                    new ListProcesses(query.environment(), null, query.cursor()));
              }
            }),
            "Processes.processes_are_listed_by_their_ids_in_pages"),
        that(
            "answers leases that have expired",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<List<HeldLease>> leasesOf(LeasesOf query) {
                return super.leasesOf(new LeasesOf(
                    query.environment(),
                    query.processId(),
                    query.now().minusSeconds(3_600),
                    query.limit()));
              }
            }),
            "Processes.the_leases_of_a_process_are_those_of_its_workers_that_have_not_expired"),
        that(
            "keeps the processes of all environments together",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Void> signOfLife(SignOfLife command) {
                return super.signOfLife(
                    new SignOfLife(EVERYWHERE, command.process(), command.now()));
              }

              @Override
              public Future<Page<KnownProcess>> listProcesses(ListProcesses query) {
                return super.listProcesses(
                    new ListProcesses(EVERYWHERE, query.limit(), query.cursor()));
              }
            }),
            "Processes.environments_have_their_own_processes"));
  }

  private static List<BrokenAdapter<StorageAdapter>> outbox() {
    return List.of(
        that(
            "tells no failure of a message",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Page<OutboxEntry>> listOutbox(ListOutbox query) {
                return super.listOutbox(query)
                    .map(page -> new Page<>(
                        page.data().stream()
                            .map(each -> new OutboxEntry(
                                each.id(),
                                each.runId(),
                                each.queue(),
                                each.status(),
                                each.availableAt(),
                                each.claimExpiresAt(),
                                each.failedPublishes(),
                                null))
                            .toList(),
                        page.nextCursor()));
              }
            }),
            "OutboxDesk.messages_are_listed_by_status_with_what_became_of_them"),
        that(
            "begins its list of messages again with each page, up to three",
            store(real -> new ForwardingOperatorStore(real) {
              private int pages;

              @Override
              public Future<Page<OutboxEntry>> listOutbox(ListOutbox query) {
                return ++pages > 3
                    ? Future.succeededFuture(new Page<>(List.of(), null))
                    : super.listOutbox(
                        new ListOutbox(query.environment(), query.status(), query.limit(), null));
              }
            }),
            "OutboxDesk.messages_are_listed_by_their_ids_in_pages"),
        that(
            "says that it redrives and does not",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<List<String>> redriveOutbox(RedriveOutbox command) {
                return Future.succeededFuture(
                    command.messageIds() == null ? List.of() : command.messageIds());
              }
            }),
            "OutboxDesk.a_dead_lettered_message_that_is_redriven_is_due_at_once_as_if_it_had_never_failed",
            "OutboxDesk.a_failed_message_that_is_named_is_redriven_too",
            "OutboxDesk.messages_that_are_claimed_pending_or_published_are_not_redriven",
            "OutboxDesk.a_redrive_that_names_none_takes_dead_lettered_ones_up_to_its_limit",
            "OutboxDesk.malformed_commands_are_refused"),
        that(
            "redrives what somebody redrove already",
            store(real -> new ForwardingOperatorStore(real) {
              private List<String> first = List.of();

              @Override
              public Future<List<String>> redriveOutbox(RedriveOutbox command) {
                return super.redriveOutbox(command).map(ids -> {
                  first = ids.isEmpty() ? first : ids;
                  return first;
                });
              }
            }),
            "OutboxDesk.a_message_that_many_redrive_at_once_is_redriven_once"),
        that(
            "redrives messages of another environment",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<List<String>> redriveOutbox(RedriveOutbox command) {
                return super.redriveOutbox(new RedriveOutbox(
                    Given.ENVIRONMENT, command.messageIds(), command.limit(), command.now()));
              }
            }),
            "OutboxDesk.environments_have_their_own_outbox"),
        that(
            "answers nothing where it is asked for published messages",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Page<OutboxEntry>> listOutbox(ListOutbox query) {
                return query.status() == OutboxMessageStatus.PUBLISHED
                    ? Future.succeededFuture(new Page<>(List.of(), null))
                    : super.listOutbox(query);
              }
            }),
            "OutboxDesk.malformed_commands_are_refused"));
  }

  private static List<BrokenAdapter<StorageAdapter>> pauses() {
    return List.of(
        that(
            "forgets why a queue is paused",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> pauseQueue(PauseQueue command) {
                return super.pauseQueue(new PauseQueue(
                    command.environment(), command.queue(), command.actor(), null, command.now()));
              }
            }),
            "QueuePauses.a_paused_queue_is_listed_with_who_paused_it_why_and_when",
            "QueuePauses.malformed_commands_are_refused"),
        that(
            "lets the last one who pauses a queue win",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> pauseQueue(PauseQueue command) {
                return super.resumeQueue(new ResumeQueue(command.environment(), command.queue()))
                    .compose(resumed -> super.pauseQueue(command));
              }
            }),
            "QueuePauses.a_queue_that_is_paused_already_keeps_who_paused_it",
            "QueuePauses.of_many_that_pause_a_queue_at_once_one_does"),
        that(
            "resumes nothing",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> resumeQueue(ResumeQueue command) {
                return Future.succeededFuture(true);
              }
            }),
            "QueuePauses.a_resumed_queue_is_not_paused_any_more"),
        that(
            "pauses a queue in all environments",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> pauseQueue(PauseQueue command) {
                return super.pauseQueue(new PauseQueue(
                    EVERYWHERE, command.queue(), command.actor(), command.reason(), command.now()));
              }

              @Override
              public Future<List<PausedQueue>> listPausedQueues(ListPausedQueues query) {
                return super.listPausedQueues(new ListPausedQueues(EVERYWHERE));
              }
            }),
            "QueuePauses.environments_have_their_own_pauses"));
  }

  private static List<BrokenAdapter<StorageAdapter>> resumes() {
    return List.of(
        that(
            "forgets that a queue was resumed",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Optional<ResumedRuns>> takeResumedRuns(TakeResumedRuns command) {
                return super.takeResumedRuns(command).map(taken -> Optional.empty());
              }
            }),
            "ResumedRuns.the_queued_runs_of_a_resumed_queue_are_taken_those_that_wait_longest_first",
            "ResumedRuns.of_many_that_take_at_once_one_gets_them",
            "ResumedRuns.the_queue_that_was_taken_least_lately_is_taken_next"),
        that(
            "begins at the front again after each chunk",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> finishResumedRuns(FinishResumedRuns command) {
                return super.finishResumedRuns(new FinishResumedRuns(
                    command.environment(),
                    command.token(),
                    new ResumedRuns(
                        command.taken().queue(), List.of(), command.taken().isLast())));
              }
            }),
            "ResumedRuns.those_behind_are_taken_next_and_after_the_last_none",
            "ResumedRuns.a_run_that_a_faster_clock_made_due_is_among_them_and_a_later_one_is_not"),
        that(
            "claims taken runs for a moment only",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Optional<ResumedRuns>> takeResumedRuns(TakeResumedRuns command) {
                return super.takeResumedRuns(new TakeResumedRuns(
                    command.environment(),
                    command.queues(),
                    command.token(),
                    command.now(),
                    command.settleFor(),
                    Duration.ofNanos(1_000),
                    Math.max(1, command.limit())));
              }
            }),
            "ResumedRuns.taken_runs_are_taken_again_when_the_claim_has_ended",
            "ResumedRuns.malformed_commands_are_refused"),
        that(
            "wakes the runs of a queue that was not paused, and knows no environments",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> resumeQueue(ResumeQueue command) {
                return super.pauseQueue(new PauseQueue(
                        command.environment(),
                        command.queue(),
                        Actor.operator("ben"),
                        null,
                        Given.NOON))
                    .compose(paused -> super.resumeQueue(command));
              }

              @Override
              public Future<Optional<ResumedRuns>> takeResumedRuns(TakeResumedRuns command) {
                return super.takeResumedRuns(new TakeResumedRuns(
                    Given.ENVIRONMENT,
                    command.queues(),
                    command.token(),
                    command.now(),
                    command.settleFor(),
                    command.claimFor(),
                    command.limit()));
              }
            }),
            "ResumedRuns.a_queue_that_was_not_paused_has_none",
            "ResumedRuns.environments_have_their_own_resumed_queues"),
        that(
            "goes on after a second resume where the first had got",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> finishResumedRuns(FinishResumedRuns command) {
                return super.finishResumedRuns(command).map(true);
              }
            }),
            "ResumedRuns.nothing_is_taken_of_a_queue_that_is_paused_again_and_its_next_resume_begins_anew"));
  }

  private static List<BrokenAdapter<StorageAdapter>> depths() {
    return List.of(
        that(
            "counts what a worker holds as waiting",
            sampling(sample -> new DepthSample(
                sample.takenAt(),
                sample.queues().stream()
                    .map(each -> new QueueDepth(
                        each.queue(),
                        each.waiting() + each.held(),
                        each.later(),
                        0,
                        each.oldestDueAt()))
                    .toList(),
                sample.outbox(),
                sample.steps())),
            "Depths.runs_are_counted_by_queue_and_by_what_they_wait_for",
            "Depths.runs_of_bounded_queues_are_counted_too"),
        that(
            "counts no dead letters",
            sampling(sample -> new DepthSample(
                sample.takenAt(),
                sample.queues(),
                new OutboxDepth(
                    sample.outbox().pending(),
                    sample.outbox().claimed(),
                    sample.outbox().failed(),
                    0,
                    sample.outbox().oldestDueAt()),
                sample.steps())),
            "Depths.outbox_messages_are_counted_by_status"),
        that(
            "counts on every question",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Optional<DepthSample>> latestSample(GetSample query) {
                return super.takeSample(new TakeSample(
                        query.environment(), Given.NEXT_YEAR, Duration.ofNanos(1_000)))
                    .compose(taken -> super.latestSample(query));
              }
            }),
            "Depths.there_is_no_sample_before_the_first_and_an_empty_one_says_so",
            "Depths.a_sample_stays_until_it_is_old_enough_for_the_next"),
        that(
            "counts whenever it is told to",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> takeSample(TakeSample command) {
                return super.takeSample(command).map(true);
              }
            }),
            "Depths.a_sample_stays_until_it_is_old_enough_for_the_next",
            "Depths.of_many_that_count_at_once_one_does"),
        that(
            "waits for a time that a wrong clock said",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> takeSample(TakeSample command) {
                return super.latestSample(new GetSample(command.environment()))
                    .compose(latest ->
                        latest.isPresent() && latest.get().takenAt().isAfter(command.now())
                            ? Future.succeededFuture(false)
                            : super.takeSample(command));
              }
            }),
            "Depths.a_clock_that_was_far_ahead_stops_no_sample"),
        that(
            "counts all environments at once",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> takeSample(TakeSample command) {
                return super.takeSample(new TakeSample(EVERYWHERE, command.now(), command.every()));
              }

              @Override
              public Future<Optional<DepthSample>> latestSample(GetSample query) {
                return super.latestSample(new GetSample(EVERYWHERE));
              }
            }),
            "Depths.environments_are_counted_for_themselves"),
        that(
            "takes no time for a time between samples",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> takeSample(TakeSample command) {
                return command.every().isZero()
                    ? Future.succeededFuture(false)
                    : super.takeSample(command);
              }
            }),
            "Depths.malformed_commands_are_refused"));
  }

  private static List<BrokenAdapter<StorageAdapter>> actions() {
    return List.of(
        that(
            "records an action when it has ended",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Page<OperatorAction>> listActions(ListActions query) {
                return super.listActions(query)
                    .map(page -> new Page<>(
                        page.data().stream()
                            .filter(each -> each.endedAt() != null)
                            .toList(),
                        page.nextCursor()));
              }
            }),
            "ActionLog.an_action_is_there_before_it_has_ended"),
        that(
            "says of every action that it was done",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Boolean> finishAction(FinishAction command) {
                return super.finishAction(new FinishAction(
                        command.environment(), command.id(), true, "done", command.now()))
                    .map(true);
              }
            }),
            "ActionLog.an_action_says_how_it_ended",
            "ActionLog.an_action_ends_once_and_an_unknown_one_never",
            "ActionLog.environments_have_their_own_log",
            "ActionLog.malformed_commands_are_refused"),
        that(
            "records an action twice",
            store(real -> new ForwardingOperatorStore(real) {
              private int recorded;

              @Override
              public Future<Void> recordAction(RecordAction command) {
                return super.recordAction(new RecordAction(
                    command.environment(),
                    command.id() + "_" + recorded++,
                    command.actor(),
                    command.action(),
                    command.target(),
                    command.reason(),
                    command.now()));
              }
            }),
            "ActionLog.an_action_that_is_recorded_again_stays_as_it_was"),
        that(
            "lists the earliest action first",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Page<OperatorAction>> listActions(ListActions query) {
                return super.listActions(query)
                    .map(page -> new Page<>(reversed(page.data()), page.nextCursor()));
              }
            }),
            "ActionLog.actions_are_listed_latest_first_in_pages_and_by_id_where_instants_are_equal"),
        that(
            "lists actions whatever their actor is, and takes a target for the beginning of one",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Page<OperatorAction>> listActions(ListActions query) {
                ActionFilter filter = query.filter().withActor(null).withTarget(null);
                String target = query.filter().target();
                return super.listActions(
                        new ListActions(query.environment(), filter, query.limit(), query.cursor()))
                    .map(page -> new Page<>(
                        page.data().stream()
                            .filter(each ->
                                target == null || String.valueOf(each.target()).startsWith(target))
                            .toList(),
                        page.nextCursor()));
              }
            }),
            "ActionLog.actions_are_listed_by_exactly_their_actor_their_name_or_their_target",
            "ActionLog.actions_of_a_filter_have_pages_whose_cursors_belong_to_it_alone",
            "ActionLog.malformed_commands_are_refused"),
        that(
            "lists actions of the instant with which a range ends, and none of its first one",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Page<OperatorAction>> listActions(ListActions query) {
                return super.listActions(new ListActions(
                    query.environment(),
                    query
                        .filter()
                        .withRecorded(
                            later(query.filter().from()), later(query.filter().until())),
                    query.limit(),
                    query.cursor()));
              }

              private @Nullable Instant later(@Nullable Instant edge) {
                return edge == null ? null : edge.plusNanos(1_000);
              }
            }),
            "ActionLog.a_range_of_time_begins_with_an_instant_and_ends_before_another",
            "ActionLog.actions_of_a_filter_have_pages_whose_cursors_belong_to_it_alone"),
        that(
            "removes actions of the very instant too, and of another environment",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Integer> pruneActions(PruneActions command) {
                return super.pruneActions(new PruneActions(
                    Given.ENVIRONMENT, command.olderThan().plusMillis(1), command.limit() + 1));
              }
            }),
            "ActionLog.the_earliest_actions_before_an_instant_are_removed_up_to_a_limit_ended_or_not",
            "ActionLog.actions_of_other_environments_are_not_removed"));
  }

  private static List<BrokenAdapter<StorageAdapter>> lines() {
    return List.of(
        that(
            "forgets the fields of a line",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Page<LogLine>> listLogLines(ListLogLines query) {
                return super.listLogLines(query)
                    .map(page -> new Page<>(
                        page.data().stream()
                            .map(each -> new LogLine(
                                each.runId(),
                                each.attempt(),
                                each.number(),
                                each.at(),
                                each.level(),
                                each.text(),
                                Map.of()))
                            .toList(),
                        page.nextCursor()));
              }
            }),
            "LogLines.a_line_is_kept_with_all_that_it_says"),
        that(
            "lists the latest line first",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Page<LogLine>> listLogLines(ListLogLines query) {
                return super.listLogLines(query)
                    .map(page -> new Page<>(reversed(page.data()), page.nextCursor()));
              }
            }),
            "LogLines.lines_are_listed_by_attempt_and_place_in_pages"),
        that(
            "keeps lines for ever, of any run, each time that they are sent",
            store(real -> new ForwardingOperatorStore(real) {
              private final List<LogLine> kept = new ArrayList<>();

              @Override
              public Future<Void> appendLogLines(AppendLogLines command) {
                kept.addAll(command.lines());
                return Future.succeededFuture();
              }

              @Override
              public Future<Page<LogLine>> listLogLines(ListLogLines query) {
                return Future.succeededFuture(new Page<>(
                    kept.stream()
                        .filter(each -> each.runId().equals(query.runId()))
                        .toList(),
                    null));
              }
            }),
            "LogLines.lines_that_are_sent_again_are_kept_once",
            "LogLines.of_a_run_that_does_not_exist_nothing_is_kept",
            "LogLines.lines_go_with_their_run",
            "LogLines.environments_have_their_own_lines",
            "LogLines.malformed_commands_are_refused"));
  }

  private static List<BrokenAdapter<StorageAdapter>> runCounts() {
    return List.of(
        that(
            "counts runs of the statuses that the filter names, of any environment",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<RunCounts> countRuns(CountRuns query) {
                return super.countRuns(
                        new CountRuns(Given.ENVIRONMENT, query.filter(), query.atMost()))
                    .map(counts -> new RunCounts(
                        counts.counts().entrySet().stream()
                            .collect(Collectors.toMap(
                                Map.Entry::getKey,
                                each -> query.filter().statuses().isEmpty()
                                        || query.filter().statuses().contains(each.getKey())
                                    ? each.getValue()
                                    : 0)),
                        counts.isCut()));
              }
            }),
            "RunCounts.each_status_is_counted_whatever_statuses_the_filter_names"),
        that(
            "counts without a limit",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<RunCounts> countRuns(CountRuns query) {
                return super.countRuns(
                    new CountRuns(query.environment(), query.filter(), CountRuns.MOST));
              }
            }),
            "RunCounts.no_more_of_a_status_are_counted_than_were_asked_for",
            "RunCounts.malformed_queries_are_refused"),
        that(
            "counts runs of any task",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<RunCounts> countRuns(CountRuns query) {
                return super.countRuns(new CountRuns(
                    query.environment(), query.filter().withTaskIds(List.of()), query.atMost()));
              }
            }),
            "RunCounts.runs_are_counted_that_fit_the_filter"));
  }

  private static List<BrokenAdapter<StorageAdapter>> throughput() {
    return List.of(
        that(
            "lets the process that adds last win",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Void> addThroughput(AddThroughput command) {
                return super.pruneThroughput(new PruneThroughput(
                        command.environment(), Instant.parse("9000-01-01T00:00:00Z"), 100))
                    .compose(pruned -> super.addThroughput(command));
              }
            }),
            "Throughput.what_is_added_of_one_minute_queue_and_task_is_summed_number_by_number",
            "Throughput.of_many_processes_that_add_at_once_nothing_is_lost"),
        that(
            "lists the latest minute first",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Page<ThroughputBucket>> listThroughput(ListThroughput query) {
                return super.listThroughput(query)
                    .map(page -> new Page<>(reversed(page.data()), page.nextCursor()));
              }
            }),
            "Throughput.minutes_are_listed_by_time_queue_and_task_in_pages"),
        that(
            "lists minutes of all queues, and of all environments as of one",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Page<ThroughputBucket>> listThroughput(ListThroughput query) {
                return super.listThroughput(new ListThroughput(
                    Given.ENVIRONMENT,
                    query.from(),
                    query.until(),
                    null,
                    query.taskId(),
                    query.limit(),
                    query.cursor()));
              }
            }),
            "Throughput.a_list_is_of_the_queue_the_task_and_the_time_that_are_asked_for",
            "Throughput.environments_have_their_own_minutes"),
        that(
            "removes minutes without a limit",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Integer> pruneThroughput(PruneThroughput command) {
                return super.pruneThroughput(
                    new PruneThroughput(command.environment(), command.olderThan(), 10_000));
              }
            }),
            "Throughput.the_earliest_minutes_before_an_instant_are_removed_up_to_a_limit"),
        that(
            "adds up minutes of all queues and of any time, and keeps tasks apart",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<FoldedThroughput> foldThroughput(FoldThroughput query) {
                return super.foldThroughput(new FoldThroughput(
                    query.environment(),
                    query.from(),
                    Instant.parse("9000-01-01T00:00:00Z"),
                    query.step(),
                    FoldThroughput.By.TASK,
                    null,
                    query.taskId()));
              }
            }),
            "Throughput.minutes_are_added_up_over_steps_by_queue_by_task_or_over_all",
            "Throughput.steps_are_of_the_queue_the_task_and_the_time_that_are_asked_for"),
        that(
            "adds up whatever a step is",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<FoldedThroughput> foldThroughput(FoldThroughput query) {
                Duration step = Duration.ofMinutes(Math.max(1, query.step().toMinutes()));
                return super.foldThroughput(new FoldThroughput(
                    query.environment(),
                    FoldThroughput.beginOf(query.from(), step),
                    query.until(),
                    step,
                    query.by(),
                    query.queue(),
                    query.taskId()));
              }
            }),
            "Throughput.malformed_commands_are_refused_and_nothing_of_them_is_counted"),
        that(
            "loses what several processes add to one step",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<FoldedThroughput> foldThroughput(FoldThroughput query) {
                return super.foldThroughput(query)
                    .map(folded -> new FoldedThroughput(
                        folded.from(),
                        folded.data().stream()
                            .map(each -> each.triggered() < 30
                                ? each
                                : ThroughputBucket.of(
                                    each.minute(), each.queue(), each.taskId(), List.of(1L)))
                            .toList()));
              }
            }),
            "Throughput.of_many_processes_that_add_at_once_no_step_lacks_any"),
        that(
            "counts what it can of a malformed command",
            store(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Void> addThroughput(AddThroughput command) {
                return super.addThroughput(new AddThroughput(
                        command.environment(), command.buckets().subList(0, 1)))
                    .compose(added -> super.addThroughput(new AddThroughput(
                        command.environment(),
                        command.buckets().subList(1, command.buckets().size()))));
              }
            }),
            "Throughput.malformed_commands_are_refused_and_nothing_of_them_is_counted"));
  }

  private static <T> List<T> reversed(List<T> rows) {
    List<T> turned = new ArrayList<>(rows);
    Collections.reverse(turned);
    return turned;
  }

  private static UnaryOperator<StorageAdapter> sampling(UnaryOperator<DepthSample> breaking) {
    return store(real -> new ForwardingOperatorStore(real) {
      @Override
      public Future<Optional<DepthSample>> latestSample(GetSample query) {
        return super.latestSample(query).map(sample -> sample.map(breaking));
      }
    });
  }

  /** One store a storage, so that it may remember. */
  static UnaryOperator<StorageAdapter> store(Function<OperatorStore, OperatorStore> breaking) {
    return real -> new ForwardingStorage(real) {
      private @Nullable OperatorStore broken;

      @Override
      public Optional<OperatorStore> operator() {
        if (broken == null) {
          broken = breaking.apply(real.operator().orElseThrow());
        }
        return Optional.of(broken);
      }
    };
  }
}
