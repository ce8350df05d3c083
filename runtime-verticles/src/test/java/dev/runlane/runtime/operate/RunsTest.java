package dev.runlane.runtime.operate;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.PrunedRuns;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RunsTest {
  private static final TaskQueue DEFAULT = TaskQueue.of("default").asDefault();
  private static final TaskQueue ONE = TaskQueue.of("one").concurrencyLimit(1);

  private final Fleet fleet = new Fleet();
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final Task<Integer> task = Task.define("task", Integer.class)
      .singletonKey(number -> "s" + number)
      .handler((number, context) -> {
        Promise<TaskResult> handler = Promise.promise();
        handlers.add(handler);
        return handler.future();
      });
  private final Runlane runlane = fleet.process(new RunlaneOptions(), List.of(DEFAULT, ONE), task);
  private final Runs runs = runlane.runs();

  private RunRecord triggered(int number) {
    return done(runlane.trigger(task, number)).run();
  }

  private RunRecord ended(int number, Future<TaskResult> result) {
    RunRecord run = triggered(number);
    runlane.executeNext();
    result.onComplete(handlers.get(handlers.size() - 1)::handle);
    return fleet.run(runlane, run.id());
  }

  private Code firstReason(String runId) {
    return done(runs.explain(runId)).reasons().get(0).code();
  }

  @Test
  void a_waiting_run_is_cancelled_at_once_and_the_history_says_by_whom_and_why() {
    RunRecord run = triggered(1);

    RunRecord cancelled =
        done(runs.cancel(run.id(), RunActionOptions.by("ada").setReason("wrong order")));

    assertThat(cancelled.status()).isEqualTo(RunStatus.CANCELLED);
    RunEvent.Cancelled event =
        (RunEvent.Cancelled) fleet.events(runlane, run.id()).get(2);
    assertThat(event.header().actor()).isEqualTo(Actor.operator("ada"));
    assertThat(event.reason()).isEqualTo("wrong order");
    assertFails(ErrorCode.VALIDATION_FAILED, runs.cancel(run.id(), new RunActionOptions()));
    assertFails(ErrorCode.RUN_NOT_FOUND, runs.cancel("run_unknown", new RunActionOptions()));
  }

  @Test
  void cancelling_decides_again_when_the_run_starts_meanwhile() {
    RunRecord run = triggered(1);
    fleet.faults.before("appendRunEvents", runlane::executeNext);

    RunRecord requested = done(runs.cancel(run.id(), new RunActionOptions()));

    assertThat(requested.status()).isEqualTo(RunStatus.CANCELLATION_REQUESTED);
    assertThat(done(runs.cancel(run.id(), new RunActionOptions())).eventSequence())
        .isEqualTo(requested.eventSequence());
  }

  @Test
  void why_a_run_was_repeated_stands_in_the_history_of_the_new_one() {
    RunRecord one = ended(1, Future.failedFuture("no"));
    RunRecord two = ended(2, Future.failedFuture("no"));
    RunActionOptions why = RunActionOptions.by("ada")
        .setReason("the bank is open again")
        .setMeta(Map.of("ticket", "7"));

    for (TriggerResult repeated :
        List.of(done(runs.retry(one.id(), why)), done(runs.rerun(two.id(), why)))) {
      EventHeader created = fleet.events(runlane, repeated.run().id()).get(0).header();
      assertThat(created.actor()).isEqualTo(Actor.operator("ada"));
      assertThat(created.meta())
          .isEqualTo(Json.ofChecked("{\"reason\":\"the bank is open again\",\"ticket\":\"7\"}"));
    }
  }

  @Test
  void a_page_of_the_events_of_any_runs_ends_once_it_has_a_few_mebibytes_whatever_its_limit() {
    Task<String> large = Task.define("large", String.class)
        .handler((text, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane other = fleet.process(new RunlaneOptions(), List.of(DEFAULT), large);
    for (int number = 0; number < 12; number++) {
      done(other.trigger(large, number + "x".repeat(900_000)));
    }

    for (Set<RunEventType> types : List.of(Set.of(RunEventType.CREATED), Set.<RunEventType>of())) {
      RunEventFilter filter = new RunEventFilter(null, types, null, null);
      RunEventSort sort = new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.ASC);
      Page<RunEventRecord> first = done(other.runs().events(filter, sort, 200, null));
      List<RunEventRecord> all = new ArrayList<>(first.data());
      for (String next = first.nextCursor(); next != null; ) {
        Page<RunEventRecord> page = done(other.runs().events(filter, sort, 200, next));
        all.addAll(page.data());
        next = page.nextCursor();
      }

      assertThat(created(first.data())).isEqualTo(5);
      assertThat(created(all)).isEqualTo(12);
    }
  }

  private static long created(List<RunEventRecord> events) {
    return events.stream()
        .filter(each -> each.event().type() == RunEventType.CREATED)
        .count();
  }

  @Test
  void what_lists_show_of_runs_is_read_by_their_ids_without_whole_runs() {
    RunRecord one = triggered(1);
    RunRecord two = ended(2, Future.failedFuture("no"));
    int before = fleet.faults.calls("getRuns");

    assertThat(done(runs.summaries(List.of(two.id(), "run_unknown", one.id(), "no id\n"))))
        .isEqualTo(Map.of(
            one.id(), RunSummary.of(fleet.run(runlane, one.id())),
            two.id(), RunSummary.of(two)));
    assertThat(fleet.faults.calls("getRuns")).isEqualTo(before);
  }

  @Test
  void a_rerun_is_a_new_run_that_names_its_source() {
    RunRecord source = ended(1, Future.succeededFuture(TaskResult.done()));

    RunRecord child = done(runs.rerun(source.id(), RunActionOptions.by("ada"))).run();

    assertThat(child.id()).isNotEqualTo(source.id());
    assertThat(child.source()).isEqualTo(RunSource.rerun(source.id()));
    assertThat(child.payload()).isEqualTo(source.payload());
    assertThat(child.keys().singletonKey()).isEqualTo("s1");
    assertThat(fleet.run(runlane, source.id())).isEqualTo(source);
    assertFails(ErrorCode.VALIDATION_FAILED, runs.retry(source.id(), new RunActionOptions()));
    assertFails(ErrorCode.VALIDATION_FAILED, runs.rerun(child.id(), new RunActionOptions()));
  }

  @Test
  void a_failed_run_is_retried_by_hand_and_its_task_must_still_be_there() {
    RunRecord source = ended(1, Future.failedFuture("no"));

    assertThat(done(runs.retry(source.id(), new RunActionOptions())).run().source())
        .isEqualTo(RunSource.manualRetry(source.id()));
    Runlane other = fleet.process();
    assertFails(ErrorCode.TASK_NOT_FOUND, other.runs().retry(source.id(), new RunActionOptions()));
  }

  @Test
  void an_action_that_is_done_again_with_the_id_of_its_run_makes_no_second_one() {
    RunRecord source = ended(1, Future.failedFuture(new IllegalStateException("broken")));
    RunRecord other = ended(2, Future.failedFuture(new IllegalStateException("broken")));
    RunActionOptions once = RunActionOptions.by("ada").setNewRunId("again-1");

    TriggerResult first = done(runs.retry(source.id(), once));
    TriggerResult second = done(runs.retry(source.id(), once));

    assertThat(first.outcome()).isEqualTo(TriggerOutcome.CREATED);
    assertThat(first.run().id()).isEqualTo("again-1");
    assertThat(second.outcome()).isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    assertThat(second.run().id()).isEqualTo("again-1");
    for (Future<TriggerResult> another :
        List.of(runs.retry(other.id(), once), runs.rerun(source.id(), once))) {
      assertThat(Fleet.failed(another).conflictKind()).contains(StorageConflictKind.EVENT_SEQUENCE);
    }
  }

  @Test
  void lists_are_paged_and_a_foreign_cursor_is_refused() {
    IntStream.range(0, 5).forEach(this::triggered);

    Page<RunSummary> first = done(runs.list(RunFilter.ALL, RunSort.NEWEST_FIRST, 3, null));
    Page<RunSummary> second =
        done(runs.list(RunFilter.ALL, RunSort.NEWEST_FIRST, 3, first.nextCursor()));

    assertThat(first.data()).hasSize(3);
    assertThat(second.data()).hasSize(2);
    assertThat(second.nextCursor()).isNull();
    RunFilter other = RunFilter.ALL.withStatuses(Set.of(RunStatus.FAILED));
    assertFails(
        ErrorCode.VALIDATION_FAILED, runs.list(other, RunSort.NEWEST_FIRST, 3, first.nextCursor()));
    assertFails(
        ErrorCode.VALIDATION_FAILED, runs.list(RunFilter.ALL, RunSort.NEWEST_FIRST, 0, null));
  }

  @Test
  void active_and_current_owners_are_found_by_key() {
    RunRecord run = triggered(7);

    assertThat(done(runs.findActiveBySingletonKey(task, "s7"))).contains(run);
    assertThat(done(runs.findActiveBySingletonKey(task, "s8"))).isEmpty();
    assertThat(done(runs.findActiveByIdempotencyKey(task, "k"))).isEmpty();
    assertThat(done(runs.findCurrent(task, "k"))).isEmpty();
  }

  @Test
  void owners_of_keys_and_attempts_are_found_behind_very_many_pages_without_any() {
    ManyPages storage = new ManyPages();
    Runlane reader = fleet.process(storage, new RunlaneOptions(), List.of(DEFAULT), task);
    RunRecord run = triggered(7);
    runlane.executeNext();

    Future<Optional<RunRecord>> owner = reader.runs().findActiveBySingletonKey(task, "s7");
    Future<List<RunAttempt>> attempts = reader.runs().attempts(run.id());
    fleet.pass(Duration.ofMillis(ManyPages.PAGES + 10));

    assertThat(done(owner).orElseThrow().id()).isEqualTo(run.id());
    assertThat(done(attempts)).hasSize(1);
  }

  /** Answers each page of runs and events 1 ms later, and what there is on the last of very many. */
  private final class ManyPages extends ForwardingStorageAdapter {
    private static final int PAGES = 5_000;

    ManyPages() {
      super(fleet.storage);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      return page(
          query.cursor(),
          () -> super.listRuns(new ListRuns(
              query.environment(), query.filter(), query.sort(), query.limit(), null)));
    }

    @Override
    public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
      return page(
          query.cursor(),
          () -> super.listRunEvents(new ListRunEvents(
              query.environment(), query.filter(), query.sort(), query.limit(), null)));
    }

    private <T> Future<Page<T>> page(String cursor, Supplier<Future<Page<T>>> last) {
      int number = cursor == null ? 1 : Integer.parseInt(cursor);
      return fleet
          .timers
          .after(Duration.ofMillis(1))
          .compose(waited -> number < PAGES
              ? Future.succeededFuture(new Page<>(List.of(), String.valueOf(number + 1)))
              : last.get());
    }
  }

  @Test
  void pruning_removes_old_ended_runs_in_steps_with_the_cutoff_of_the_first() {
    for (int number = 0; number < 3; number++) {
      ended(number, Future.succeededFuture(TaskResult.done()));
    }
    RunRecord active = triggered(9);
    fleet.pass(Duration.ofDays(2));
    PruneOptions options = PruneOptions.olderThan(Duration.ofDays(1)).setLimit(2);

    PrunedRuns first = done(runs.prune(options));
    fleet.pass(Duration.ofDays(5));
    PrunedRuns second = done(runs.prune(options.setCursor(first.nextCursor())));

    assertThat(first.prunedRuns()).isEqualTo(2);
    assertThat(second.prunedRuns()).isEqualTo(1);
    assertThat(done(runs.get(active.id()))).isPresent();
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        runs.prune(PruneOptions.olderThan(Duration.ofDays(3)).setCursor(first.nextCursor())));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        runs.prune(PruneOptions.olderThan(Duration.ofDays(1)).setCursor("nonsense")));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        runs.prune(
            PruneOptions.olderThan(Duration.ofDays(1)).setStatuses(Set.of(RunStatus.RUNNING))));
    assertFails(
        ErrorCode.VALIDATION_FAILED, runs.prune(PruneOptions.olderThan(Duration.ofDays(-1))));
  }

  @Test
  void an_explanation_says_in_words_and_data_why_a_run_is_where_it_is() {
    RunRecord waiting = triggered(1);
    assertThat(firstReason(waiting.id())).isEqualTo(Code.WAITING_FOR_WORKER);

    RunRecord later = done(runlane.trigger(
            task, 2, new TriggerOptions().setDelay(Duration.ofHours(1))))
        .run();
    RunExplanation notDue = done(runs.explain(later.id()));
    assertThat(notDue.reasons().get(0).code()).isEqualTo(Code.NOT_DUE);
    assertThat(notDue.reasons().get(0).details())
        .containsEntry("dueAt", later.runAt().toString());
    assertThat(notDue.text()).contains(later.runAt().toString());

    runlane.executeNext();
    assertThat(firstReason(waiting.id())).isEqualTo(Code.LEASED);
    done(runs.cancel(waiting.id(), new RunActionOptions()));
    assertThat(firstReason(waiting.id())).isEqualTo(Code.CANCELLING);
    handlers.get(0).complete(TaskResult.done());
    assertThat(firstReason(waiting.id())).isEqualTo(Code.ENDED);

    Runlane stranger = fleet.process();
    assertThat(done(stranger.runs().explain(later.id())).reasons())
        .extracting(RunExplanation.Reason::code)
        .containsExactly(Code.NO_TASK, Code.NOT_DUE, Code.WAKEUP_PENDING);
    assertFails(ErrorCode.RUN_NOT_FOUND, runs.explain("run_unknown"));
  }

  @Test
  void who_retries_once_makes_one_run_however_often() {
    RunRecord failed = ended(1, Future.failedFuture("no"));

    TriggerResult first = done(runs.retryOnce(failed.id(), new RunActionOptions()));
    TriggerResult again = done(runs.retryOnce(failed.id(), new RunActionOptions()));

    assertThat(first.outcome()).isEqualTo(TriggerOutcome.CREATED);
    assertThat(again.outcome()).isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    assertThat(again.run().id()).isEqualTo(first.run().id());
  }

  @Test
  void an_explanation_names_the_runs_that_fill_a_partition() {
    TriggerOptions inOne = new TriggerOptions().setQueue(ONE);
    RunRecord holder = done(runlane.trigger(task, 1, inOne)).run();
    runlane.executeNext();
    RunRecord blocked = done(runlane.trigger(task, 2, inOne)).run();

    RunExplanation.Reason full = done(runs.explain(blocked.id())).reasons().get(0);
    assertThat(full.code()).isEqualTo(Code.PARTITION_FULL);
    assertThat(full.details()).containsEntry("holders", holder.id()).containsEntry("limit", "1");

    handlers.get(0).complete(TaskResult.done());
    done(runlane.tick());
    assertThat(firstReason(blocked.id())).isEqualTo(Code.RESERVED);
  }

  @Test
  void an_explanation_tells_what_became_of_the_wakeup() {
    RunRecord waiting = done(runlane.trigger(
            task, 1, new TriggerOptions().setDispatch(DispatchMode.DEFERRED)))
        .run();
    FailureRecord refused =
        new FailureRecord(ErrorCode.TRANSPORT_PUBLISH_FAILED, "too large", false, null);

    ClaimedOutboxMessage first = claimedMessage();
    done(fleet.storage.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
        waiting.environment(),
        List.of(new MarkOutboxMessagesFailed.Failed(first.id(), first.claimToken(), refused, null)),
        Fleet.NOON)));
    RunExplanation failed = done(runs.explain(waiting.id()));
    ClaimedOutboxMessage second = claimedMessage();
    done(fleet.storage.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
        waiting.environment(),
        List.of(new MarkOutboxMessagesDeadLettered.DeadLettered(
            second.id(), second.claimToken(), refused)),
        Fleet.NOON)));
    RunExplanation givenUp = done(runs.explain(waiting.id()));

    assertThat(failed.reasons())
        .extracting(RunExplanation.Reason::code)
        .containsExactly(Code.WAITING_FOR_WORKER, Code.WAKEUP_FAILED);
    assertThat(givenUp.reasons())
        .extracting(RunExplanation.Reason::code)
        .containsExactly(Code.WAITING_FOR_WORKER, Code.WAKEUP_DEAD_LETTERED);
    assertThat(givenUp.text()).contains("too large");
  }

  private ClaimedOutboxMessage claimedMessage() {
    return done(fleet.storage.claimOutboxMessages(new ClaimOutboxMessages(
            new Environment("default"), Fleet.NOON, Duration.ofSeconds(30), 1, null)))
        .get(0);
  }

  @Test
  void a_lane_without_operator_reads_refuses_all_of_it() {
    Runlane blind = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers),
            Lanes.create(fleet.storage, fleet.transport, new LaneOptions().setOperatorReads(false)))
        .queue(DEFAULT)
        .build();
    RunActionOptions none = new RunActionOptions();
    for (Future<?> refused : List.of(
        blind.runs().get("r"),
        blind.runs().list(RunFilter.ALL),
        blind.runs().events("r"),
        blind.runs().attempts("r"),
        blind.runs().cancel("r", none),
        blind.runs().rerun("r", none),
        blind.runs().retry("r", none),
        blind.runs().explain("r"),
        blind.runs().prune(PruneOptions.olderThan(Duration.ofDays(1))))) {
      assertFails(ErrorCode.CAPABILITY_UNSUPPORTED, refused);
    }
  }

  @Test
  void an_awaited_run_answers_at_once_when_this_process_ends_it() {
    RunRecord run = triggered(1);
    Future<RunRecord> awaited = runlane.awaitRun(run.id(), Duration.ofMinutes(1));
    runlane.executeNext();
    assertThat(awaited.isComplete()).isFalse();

    handlers.get(0).complete(TaskResult.done());

    assertThat(done(awaited).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void an_awaited_run_that_another_process_ends_is_noticed_within_two_seconds() {
    RunRecord run = triggered(1);
    Future<RunRecord> awaited = runlane.awaitRun(run.id(), Duration.ofMinutes(1));
    fleet.pass(Duration.ofSeconds(20));
    Runlane other = fleet.process(task);
    other.executeNext();
    handlers.get(0).complete(TaskResult.done());

    fleet.pass(Duration.ofSeconds(2));

    assertThat(done(awaited).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void awaiting_ends_with_the_timeout_or_when_there_is_no_such_run() {
    RunRecord run = triggered(1);
    Future<RunRecord> awaited = runlane.awaitRun(run.id(), Duration.ofSeconds(5));
    fleet.pass(Duration.ofSeconds(5));

    assertFails(ErrorCode.OPERATION_CANCELLED, awaited);
    assertFails(ErrorCode.RUN_NOT_FOUND, runlane.awaitRun("run_unknown", Duration.ofSeconds(5)));
    assertFails(ErrorCode.VALIDATION_FAILED, runlane.awaitRun(run.id(), Duration.ZERO));
    done(runlane.close());
    fleet.pass(Duration.ofSeconds(5));
    assertThat(fleet.timers.pending()).isZero();
  }

  @Test
  void attempts_are_read_without_the_heartbeats_between_them() {
    RunRecord run = triggered(1);
    runlane.executeNext();
    fleet.pass(Duration.ofHours(1));
    assertThat(done(runs.get(run.id())).orElseThrow().eventSequence())
        .as("heartbeats")
        .isGreaterThan(300);
    int before = fleet.faults.calls("listRunEvents");

    List<RunAttempt> attempts = done(runs.attempts(run.id()));

    assertThat(attempts)
        .extracting(RunAttempt::outcome)
        .containsExactly(RunAttempt.Outcome.UNDER_WAY);
    assertThat(fleet.faults.calls("listRunEvents") - before).isEqualTo(1);
  }
}
