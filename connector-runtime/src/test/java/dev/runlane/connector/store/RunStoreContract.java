package dev.runlane.connector.store;

import static dev.runlane.connector.store.StoreCase.ELSEWHERE;
import static dev.runlane.connector.store.StoreCase.HERE;
import static dev.runlane.connector.store.StoreCase.IDS;
import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.beginning;
import static dev.runlane.connector.store.StoreCase.completing;
import static dev.runlane.connector.store.StoreCase.cursor;
import static dev.runlane.connector.store.StoreCase.done;
import static dev.runlane.connector.store.StoreCase.ending;
import static dev.runlane.connector.store.StoreCase.event;
import static dev.runlane.connector.store.StoreCase.failure;
import static dev.runlane.connector.store.StoreCase.having;
import static dev.runlane.connector.store.StoreCase.record;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.history.HistoryQuery;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunResultFacts;
import dev.runlane.connector.store.history.RunStats;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.record.LastBatch;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.CancelOutcome;
import dev.runlane.connector.store.run.EndOutcome;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.run.RequestCancel;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.connector.store.timeline.AppendEvents;
import dev.runlane.connector.store.timeline.AppendOutcome;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.connector.store.timeline.TimelineActor;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.connector.store.timeline.TimelinePage;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What a store promises of active runs, timelines, ends and history, whatever it keeps them in. */
@DisplayNameGeneration(ReplaceUnderscores.class)
public abstract class RunStoreContract {
  /** An empty store. */
  protected abstract StoreCase scene();

  @Test
  void R6_S1_a_run_that_begins_is_the_active_one_of_its_connection() {
    StoreCase scene = scene();

    ActiveRun run = scene.running("run_1");

    assertThat(run.run()).isEqualTo(new RunIdentity("run_1", "trc_run_1", SHELF));
    assertThat(run.controller()).isEqualTo(HERE);
    assertThat(run.startedAt()).isEqualTo(NOON);
    assertThat(done(scene.store.activeRuns().find("run_1"))).contains(run);
    assertThat(done(scene.store.activeRuns().findByInstance("shelf"))).contains(run);
    assertThat(done(scene.store.activeRuns().list())).containsExactly(run);
    assertThat(done(scene.store.history().stats("shelf")).lastStartedAt()).isEqualTo(NOON);
  }

  @Test
  void R6_S2_a_second_run_of_the_connection_is_refused_with_the_id_of_the_active_one() {
    StoreCase scene = scene();
    scene.running("run_1");

    assertThat(scene.begin(beginning("run_2", SHELF, null)))
        .isEqualTo(new BeginOutcome.AlreadyActive("run_1"));
    assertThat(done(scene.store.activeRuns().find("run_2"))).isEmpty();
    scene.running("run_3", ConnectorRef.of("other"), null);
  }

  @Test
  void a_begin_that_is_sent_again_answers_the_same_run() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");

    assertThat(scene.begin(beginning("run_1", SHELF, null))).isEqualTo(new BeginOutcome.Begun(run));
  }

  @Test
  void a_run_that_has_ended_cannot_begin_again() {
    StoreCase scene = scene();
    scene.end(completing(scene.running("run_1")));

    assertThat(scene.begin(beginning("run_1", SHELF, null)))
        .isEqualTo(new BeginOutcome.AlreadyActive("run_1"));
    assertThat(done(scene.store.activeRuns().list())).isEmpty();
  }

  @Test
  void generations_rise_from_run_to_run_and_with_each_taking_over() {
    StoreCase scene = scene();
    ActiveRun first = scene.running("run_1");
    scene.end(completing(first));
    ActiveRun second = scene.running("run_2");

    Optional<ActiveRun> taken = done(scene
        .store
        .activeRuns()
        .takeOver(new TakeOverRun("run_2", second.generation(), ELSEWHERE, NOON)));

    assertThat(second.generation()).isGreaterThan(first.generation());
    assertThat(taken.orElseThrow().generation()).isGreaterThan(second.generation());
    assertThat(taken.orElseThrow().controller()).isEqualTo(ELSEWHERE);
    assertThat(done(scene.store.activeRuns().find("run_2"))).isEqualTo(taken);
  }

  @Test
  void of_two_who_take_a_run_over_one_wins() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    TakeOverRun command = new TakeOverRun("run_1", run.generation(), ELSEWHERE, NOON);

    assertThat(done(scene.store.activeRuns().takeOver(command))).isPresent();
    assertThat(done(scene.store.activeRuns().takeOver(command))).isEmpty();
  }

  @Test
  void events_are_read_in_the_order_they_were_told_page_by_page() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    TimelineEvent[] events = IntStream.range(0, 25)
        .mapToObj(i -> event(TimelineEventType.PROGRESS_REPORTED).onStream("books"))
        .toArray(TimelineEvent[]::new);
    scene.tell(run, event(TimelineEventType.STARTED));
    scene.tell(run, events);

    TimelinePage first = done(scene.store.timeline().read(new ReadTimeline("run_1", 0, 10)));
    long after = first.events().get(9).sequence();
    TimelinePage rest = done(scene.store.timeline().read(new ReadTimeline("run_1", after, 100)));

    assertThat(first.events()).hasSize(10);
    assertThat(first.more()).isTrue();
    assertThat(rest.more()).isFalse();
    assertThat(rest.events())
        .extracting(RecordedEvent::event)
        .containsExactly(List.of(events).subList(9, 25).toArray(TimelineEvent[]::new));
    assertThat(rest.events())
        .extracting(RecordedEvent::sequence)
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  void an_event_keeps_everything_it_was_told_with() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    TimelineEvent told = new TimelineEvent(
        TimelineEvent.newId(IDS),
        TimelineEventType.INTERACTION_REQUIRED,
        "started",
        NOON.plusMillis(5),
        TimelineActor.OWNER,
        "books",
        "q1",
        "grant-1",
        "req_1",
        Json.ofChecked("{\"message\":\"\u2028 \\u0000\"}"));

    scene.tell(run, told);

    assertThat(done(scene.store.timeline().read(ReadTimeline.of("run_1"))).events())
        .singleElement()
        .satisfies(event -> {
          assertThat(event.event()).isEqualTo(told);
          assertThat(event.run()).isEqualTo(run.run());
          assertThat(event.recordedAt()).isEqualTo(NOON);
        });
  }

  @Test
  void events_that_are_told_twice_are_stored_once() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    TimelineEvent started = event(TimelineEventType.STARTED);

    scene.tell(run, started);
    assertThat(scene.tell(run, started, event(TimelineEventType.PROGRESS_REPORTED)))
        .isEqualTo(new AppendOutcome.Appended());

    assertThat(scene.told("run_1")).containsExactly("run.started", "run.progress_reported");
  }

  @Test
  void an_interaction_that_waits_shows_on_the_active_run_until_it_is_over() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");

    scene.tell(run, event(TimelineEventType.INTERACTION_REQUIRED).onInteraction("q1"));
    assertThat(pending(scene)).isEqualTo("q1");
    scene.tell(run, event(TimelineEventType.PROGRESS_REPORTED));
    assertThat(pending(scene)).isEqualTo("q1");
    scene.tell(
        run,
        event(TimelineEventType.INTERACTION_COMPLETED).onInteraction("q1"),
        event(TimelineEventType.PROGRESS_REPORTED));
    assertThat(pending(scene)).isNull();
  }

  private static String pending(StoreCase scene) {
    return done(scene.store.activeRuns().find("run_1")).orElseThrow().pendingInteraction();
  }

  @Test
  void a_terminal_event_is_not_told_but_with_the_runs_end() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");

    Throwable failure = failure(scene
        .store
        .timeline()
        .append(new AppendEvents(run.fence(), List.of(event(TimelineEventType.COMPLETED)), NOON)));

    assertThat(((RunlaneException) failure).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(scene.told("run_1")).isEmpty();
  }

  @Test
  void an_event_of_a_later_release_is_not_told_by_this_one() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");

    Throwable failure = failure(scene
        .store
        .timeline()
        .append(new AppendEvents(run.fence(), List.of(event(TimelineEventType.OTHER)), NOON)));

    assertThat(((RunlaneException) failure).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(scene.told("run_1")).isEmpty();
  }

  @Test
  void R3_S1_the_end_of_a_run_stores_cursors_terminal_event_and_history_and_frees_the_connection() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    scene.tell(run, event(TimelineEventType.STARTED));

    EndRun end = completing(run, cursor("books", 5), cursor("authors", 7));
    assertThat(scene.end(end)).isEqualTo(new EndOutcome.Ended());

    assertThat(scene.told("run_1")).containsExactly("run.started", "run.completed");
    assertThat(scene.cursors(null)).containsExactly("authors={\"page\":7}", "books={\"page\":5}");
    assertThat(done(scene.store.activeRuns().list())).isEmpty();
    assertThat(done(scene.store.history().list(HistoryQuery.newest("shelf"))))
        .singleElement()
        .satisfies(recorded -> assertThat(recorded.entry()).isEqualTo(end.history()));
    scene.running("run_2");
  }

  @Test
  void R3_S3_a_run_of_which_a_stored_batch_is_missing_does_not_end_with_its_cursors() {
    StoreCase scene = scene();
    ActiveRun before = scene.running("run_1");
    scene.ingest(before, record("a", "{}"));
    scene.ingest(before, record("a", "{\"v\":2}"));
    scene.end(completing(before));
    ActiveRun run = scene.running("run_2");
    EndOutcome missing =
        new EndOutcome.CursorsRefused(SinkFailure.ofLostRecords(SinkFailure.Phase.STATE_COMMIT));
    EndRun end = completing(run, cursor("books", 5));

    assertThat(scene.end(having(end, new LastBatch("books", 1))))
        .as("what another run stored is not this one's")
        .isEqualTo(missing);
    scene.ingest(run, record("b", "{}"));
    assertThat(scene.end(having(end, new LastBatch("books", 2)))).isEqualTo(missing);
    assertThat(scene.end(having(end, new LastBatch("books", 1), new LastBatch("authors", 1))))
        .isEqualTo(missing);
    assertThat(scene.end(having(completing(run), new LastBatch("books", 2))))
        .as("without cursors")
        .isEqualTo(missing);

    assertThat(scene.told("run_2")).isEmpty();
    assertThat(scene.cursors(null)).isEmpty();
    assertThat(scene.end(having(end, new LastBatch("books", 1)))).isEqualTo(new EndOutcome.Ended());
    assertThat(scene.cursors(null)).containsExactly("books={\"page\":5}");
  }

  @Test
  void a_run_whose_grant_was_taken_back_ends_where_it_leaves_no_cursors() {
    StoreCase scene = scene();
    ActiveRun run = underContinuousGrant(scene);
    scene.ingest(run, record("a", "{}"));
    done(scene.store.grants().revoke("grant-1", NOON));

    assertThat(scene.end(having(completing(run), new LastBatch("books", 1))))
        .isEqualTo(new EndOutcome.Ended());
  }

  @Test
  void an_end_that_is_sent_again_stores_nothing_twice() {
    StoreCase scene = scene();
    EndRun end = completing(scene.running("run_1"), cursor("books", 5));
    scene.end(end);

    assertThat(scene.end(end)).isEqualTo(new EndOutcome.Ended());

    assertThat(scene.told("run_1")).containsExactly("run.completed");
    assertThat(done(scene.store.history().list(HistoryQuery.newest("shelf")))).hasSize(1);
    assertThat(done(scene.store.history().stats("shelf")).totalRuns()).isEqualTo(1);
  }

  @Test
  void R11_S5_a_run_that_has_ended_does_not_end_in_another_way() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    scene.end(completing(run));

    EndOutcome second =
        scene.end(ending(run, TimelineEventType.FAILED, RunStatus.FAILED, cursor("books", 5)));

    assertThat(((EndOutcome.AlreadyEnded) second).terminal().event().type())
        .isEqualTo(TimelineEventType.COMPLETED);
    assertThat(scene.told("run_1")).containsExactly("run.completed");
    assertThat(scene.cursors(null)).isEmpty();
  }

  @Test
  void who_has_lost_a_run_cannot_end_it() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    ActiveRun taken = done(scene
            .store
            .activeRuns()
            .takeOver(new TakeOverRun("run_1", run.generation(), ELSEWHERE, NOON)))
        .orElseThrow();

    assertThat(scene.end(completing(run, cursor("books", 5))))
        .isEqualTo(new EndOutcome.FencedOut());
    assertThat(scene.tell(run, event(TimelineEventType.PROGRESS_REPORTED)))
        .isEqualTo(new AppendOutcome.FencedOut());
    assertThat(scene.cursors(null)).isEmpty();
    assertThat(scene.end(ending(taken, TimelineEventType.ABANDONED, RunStatus.FAILED)))
        .isEqualTo(new EndOutcome.Ended());
    assertThat(scene.told("run_1")).containsExactly("run.abandoned");
  }

  @Test
  void a_cancellation_before_the_end_wins_and_nothing_is_committed() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    done(scene.store.activeRuns().requestCancel(cancelling("run_1")));

    assertThat(scene.end(completing(run, cursor("books", 5))))
        .isEqualTo(new EndOutcome.CancelledFirst());
    assertThat(scene.cursors(null)).isEmpty();
    assertThat(scene.end(ending(run, TimelineEventType.CANCELLED, RunStatus.CANCELLED)))
        .isEqualTo(new EndOutcome.Ended());
    assertThat(scene.told("run_1")).containsExactly("run.cancel_requested", "run.cancelled");
  }

  @Test
  void R6_S5_two_requests_to_cancel_are_accepted_and_told_once() {
    StoreCase scene = scene();
    scene.running("run_1");
    scene.running("run_2", ConnectorRef.of("other"), null);

    CancelOutcome first = done(scene.store.activeRuns().requestCancel(cancelling("run_1")));
    CancelOutcome second = done(scene.store.activeRuns().requestCancel(cancelling("run_1")));

    assertThat(((CancelOutcome.Accepted) first).first()).isTrue();
    assertThat(((CancelOutcome.Accepted) first).run().cancelRequestedAt()).isEqualTo(NOON);
    assertThat(((CancelOutcome.Accepted) second).first()).isFalse();
    assertThat(scene.told("run_1")).containsExactly("run.cancel_requested");
    assertThat(scene.told("run_2")).isEmpty();
    assertThat(done(scene.store.activeRuns().find("run_2")).orElseThrow().cancelRequestedAt())
        .isNull();
  }

  @Test
  void R6_S6_a_run_that_is_unknown_or_has_ended_is_not_cancelled() {
    StoreCase scene = scene();
    scene.end(completing(scene.running("run_1")));

    assertThat(done(scene.store.activeRuns().requestCancel(cancelling("run_9"))))
        .isEqualTo(new CancelOutcome.NoActiveRun());
    CancelOutcome ended = done(scene.store.activeRuns().requestCancel(cancelling("run_1")));
    assertThat(((CancelOutcome.AlreadyTerminal) ended).terminal().event().type())
        .isEqualTo(TimelineEventType.COMPLETED);
    assertThat(scene.told("run_1")).containsExactly("run.completed");
    assertThat(scene.told("run_9")).isEmpty();
  }

  private static RequestCancel cancelling(String runId) {
    return new RequestCancel(
        runId, event(TimelineEventType.CANCEL_REQUESTED).byOwner("req_1"), NOON);
  }

  @Test
  void R6_S7_the_end_of_a_run_leaves_the_runs_of_other_connections_alone() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    ActiveRun sibling = scene.running("run_2", ConnectorRef.of("other"), null);

    scene.end(ending(run, TimelineEventType.CANCELLED, RunStatus.CANCELLED));

    assertThat(done(scene.store.activeRuns().list())).containsExactly(sibling);
    scene.running("run_3");
  }

  @Test
  void R9_S1_a_single_use_grant_is_consumed_by_the_run_that_succeeds_under_it() {
    StoreCase scene = scene();
    done(scene.store.grants().put(singleUse(), NOON));
    ActiveRun failing = scene.running("run_1", SHELF, "grant-1");
    scene.end(ending(failing, TimelineEventType.FAILED, RunStatus.FAILED));
    assertThat(grantState(scene)).isEqualTo(GrantState.ACTIVE);

    scene.end(completing(scene.running("run_2", SHELF, "grant-1")));

    assertThat(grantState(scene)).isEqualTo(GrantState.CONSUMED);
  }

  private static Grant singleUse() {
    return new Grant("grant-1", "shelf", GrantAccessMode.SINGLE_USE, GrantState.ACTIVE, null);
  }

  private static ActiveRun underContinuousGrant(StoreCase scene) {
    Grant grant =
        new Grant("grant-1", "shelf", GrantAccessMode.CONTINUOUS, GrantState.ACTIVE, null);
    done(scene.store.grants().put(grant, NOON));
    return scene.running("run_1", SHELF, "grant-1");
  }

  private static GrantState grantState(StoreCase scene) {
    return done(scene.store.grants().find("grant-1")).orElseThrow().state();
  }

  @Test
  void cursors_that_the_grant_no_longer_allows_are_refused_and_the_run_goes_on() {
    StoreCase scene = scene();
    ActiveRun run = underContinuousGrant(scene);
    done(scene.store.grants().revoke("grant-1", NOON));

    assertThat(scene.end(completing(run, cursor("books", 5))))
        .isEqualTo(new EndOutcome.CursorsRefused(
            SinkFailure.ofGrant("grant_revoked", SinkFailure.Phase.STATE_COMMIT)));

    assertThat(scene.cursors("grant-1")).isEmpty();
    assertThat(scene.told("run_1")).isEmpty();
    assertThat(scene.end(ending(run, TimelineEventType.FAILED, RunStatus.FAILED)))
        .isEqualTo(new EndOutcome.Ended());
  }

  @Test
  void R8_S1_the_statistics_show_the_latest_run_as_the_history_has_it() {
    StoreCase scene = scene();
    scene.end(completing(scene.running("run_1")));
    scene.end(ending(scene.running("run_2"), TimelineEventType.FAILED, RunStatus.FAILED));

    RunStats stats = done(scene.store.history().stats("shelf"));
    List<RecordedRun> history = done(scene.store.history().list(HistoryQuery.newest("shelf")));

    assertThat(stats.totalRuns()).isEqualTo(2);
    assertThat(stats.succeeded()).isEqualTo(1);
    assertThat(stats.failed()).isEqualTo(1);
    assertThat(stats.totalRecords()).isEqualTo(4);
    assertThat(stats.lastRun()).contains(history.get(0));
    assertThat(stats.lastFinishedAt()).isEqualTo(NOON.plusSeconds(10));
    assertThat(stats.lastSuccessfulAt()).isEqualTo(NOON.plusSeconds(10));
    assertThat(done(scene.store.history().stats("unknown"))).isEqualTo(RunStats.NONE);
  }

  @Test
  void the_history_is_read_from_the_newest_on_by_connection_and_status() {
    StoreCase scene = scene();
    scene.end(completing(scene.running("run_1")));
    scene.end(completing(scene.running("run_2", ConnectorRef.of("other"), null)));
    scene.end(ending(scene.running("run_3"), TimelineEventType.FAILED, RunStatus.FAILED));

    List<RecordedRun> all =
        done(scene.store.history().list(new HistoryQuery(null, Set.of(), null, 2)));
    assertThat(runIds(all)).containsExactly("run_3", "run_2");
    assertThat(runIds(done(scene
            .store
            .history()
            .list(new HistoryQuery(null, Set.of(), all.get(1).number(), 10)))))
        .containsExactly("run_1");
    assertThat(runIds(done(scene.store.history().list(HistoryQuery.newest("shelf")))))
        .containsExactly("run_3", "run_1");
    assertThat(runIds(done(scene
            .store
            .history()
            .list(new HistoryQuery("shelf", Set.of(RunStatus.SUCCEEDED), null, 10)))))
        .containsExactly("run_1");
  }

  @Test
  void a_page_of_the_history_ends_early_where_its_entries_are_large() {
    StoreCase scene = scene();
    Json state = Json.ofChecked("{\"books\":\"" + "x".repeat(1_000_000) + "\"}");
    for (int number = 1; number <= 12; number++) {
      scene.end(holding(completing(scene.running("run_" + number)), state));
    }
    HistoryQuery query = new HistoryQuery("shelf", Set.of(), null, 100);

    List<RecordedRun> first = done(scene.store.history().list(query));

    assertThat(first).hasSize(9);
    assertThat(query.mayHaveMore(first)).isTrue();
    HistoryQuery rest = new HistoryQuery("shelf", Set.of(), first.get(8).number(), 100);
    List<RecordedRun> second = done(scene.store.history().list(rest));
    assertThat(runIds(second)).containsExactly("run_3", "run_2", "run_1");
    assertThat(rest.mayHaveMore(second)).isFalse();
    assertThat(done(scene.store.history().outcomes("shelf", Set.of(), 100)))
        .hasSize(12)
        .allSatisfy(run -> assertThat(run.entry().result().state()).isNull());
  }

  @Test
  void outcomes_are_entries_without_what_decides_nothing() {
    StoreCase scene = scene();
    scene.end(completing(scene.running("run_1")));
    EndRun failed = ending(scene.running("run_2"), TimelineEventType.FAILED, RunStatus.FAILED);
    scene.end(failed);

    assertThat(done(scene.store.history().outcomes("shelf", Set.of(RunStatus.FAILED), 1)))
        .singleElement()
        .satisfies(run -> assertThat(run.entry()).isEqualTo(failed.history().outcome()));
  }

  private static EndRun holding(EndRun end, Json state) {
    RunHistoryEntry entry = end.history();
    RunResultFacts facts = entry.result();
    return new EndRun(
        end.fence(),
        end.events(),
        end.cursors(),
        new RunHistoryEntry(
            entry.run(),
            entry.trigger(),
            entry.status(),
            entry.startedAt(),
            entry.completedAt(),
            entry.terminalReason(),
            entry.failureReason(),
            entry.error(),
            entry.httpStatus(),
            new RunResultFacts(
                facts.recordsEmitted(),
                facts.reportedRecordsEmitted(),
                null,
                Json.ofChecked("[]"),
                state,
                null,
                facts.needsAttention())),
        end.now());
  }

  private static List<String> runIds(List<RecordedRun> runs) {
    return runs.stream().map(run -> run.entry().run().runId()).toList();
  }

  @Test
  void how_a_run_began_and_ended_is_found_for_ever() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    scene.tell(run, event(TimelineEventType.STARTED), event(TimelineEventType.PROGRESS_REPORTED));
    scene.end(completing(run));
    ActiveRun active = scene.running("run_2");
    scene.tell(
        active, event(TimelineEventType.STARTED), event(TimelineEventType.PROGRESS_REPORTED));

    assertThat(done(scene.store.timeline().pruneEvents(NOON.plusSeconds(3_600), 100)))
        .isEqualTo(1);
    assertThat(done(scene.store.timeline().pruneEvents(NOON.plusSeconds(3_600), 100)))
        .isZero();

    assertThat(scene.told("run_1")).containsExactly("run.started", "run.completed");
    assertThat(scene.told("run_2")).containsExactly("run.started", "run.progress_reported");
    RunTimeline.RunBounds bounds = done(scene.store.timeline().bounds("run_1"));
    assertThat(bounds.started()).isPresent();
    assertThat(bounds.terminal()).isPresent();
    Map<String, RecordedEvent> ended =
        done(scene.store.timeline().terminalEvents(List.of("run_1", "run_2", "run_9")));
    assertThat(ended).containsOnlyKeys("run_1");
    assertThat(done(scene.store.timeline().bounds("run_9")))
        .isEqualTo(new RunTimeline.RunBounds(Optional.empty(), Optional.empty()));
  }

  @Test
  void events_younger_than_retention_asks_for_stay() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    scene.tell(run, event(TimelineEventType.PROGRESS_REPORTED));
    scene.end(completing(run));

    assertThat(done(scene.store.timeline().pruneEvents(NOON, 100))).isZero();
  }

  @Test
  void the_newest_entries_of_a_connection_survive_retention() {
    StoreCase scene = scene();
    scene.end(completing(scene.running("run_1")));

    assertThat(done(scene.store.history().pruneEntries(NOON.plusSeconds(3_600), 100)))
        .isZero();
    assertThat(done(scene.store.history().list(HistoryQuery.newest("shelf")))).hasSize(1);
  }

  @Test
  void what_cannot_be_stored_is_refused_before_anything_is() {
    StoreCase scene = scene();

    for (String runId : List.of("", "run:1", "run\0", "r".repeat(129))) {
      Throwable failure = failure(scene.store.activeRuns().begin(beginning(runId, SHELF, null)));
      assertThat(((RunlaneException) failure).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    }
    assertThat(done(scene.store.activeRuns().list())).isEmpty();
  }
}
