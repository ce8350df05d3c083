package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.beginning;
import static dev.runlane.connector.store.StoreCase.completing;
import static dev.runlane.connector.store.StoreCase.cursor;
import static dev.runlane.connector.store.StoreCase.done;
import static dev.runlane.connector.store.StoreCase.ending;
import static dev.runlane.connector.store.StoreCase.event;
import static dev.runlane.connector.store.StoreCase.failure;
import static dev.runlane.connector.store.StoreCase.record;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.manifest.ManifestStream.Semantics;
import dev.runlane.connector.store.StoreCase;
import dev.runlane.connector.store.history.HistoryQuery;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.CancelOutcome;
import dev.runlane.connector.store.run.EndOutcome;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.run.RequestCancel;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Several processes on the same tables: each store here has a pool of its own. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgRaceTest {
  private static final int ROUNDS = 15;

  private final PgScene postgres = new PgScene();
  private final PgConnectorStoreOptions options = postgres.options();
  private final PgConnectorStore one = postgres.connected(options);
  private final PgConnectorStore two = postgres.connected(options);
  private final StoreCase scene = new StoreCase(one, one.records());

  @AfterEach
  void close() {
    postgres.close();
  }

  private static <T> List<T> all(List<Future<T>> futures) {
    done(Future.join(futures).transform((joined, failure) -> Future.succeededFuture()));
    return futures.stream().map(StoreCase::done).toList();
  }

  @Test
  void of_many_who_begin_a_run_of_one_connection_at_once_exactly_one_does() {
    for (int round = 0; round < ROUNDS; round++) {
      int now = round;
      List<BeginOutcome> outcomes = all(IntStream.range(0, 8)
          .mapToObj(i -> (i % 2 == 0 ? one : two)
              .activeRuns()
              .begin(beginning("run_" + now + "_" + i, SHELF, null)))
          .toList());

      List<ActiveRun> begun = outcomes.stream()
          .filter(BeginOutcome.Begun.class::isInstance)
          .map(outcome -> ((BeginOutcome.Begun) outcome).run())
          .toList();
      assertThat(begun).hasSize(1);
      assertThat(outcomes)
          .filteredOn(BeginOutcome.AlreadyActive.class::isInstance)
          .hasSize(7)
          .containsOnly(new BeginOutcome.AlreadyActive(begun.get(0).run().runId()));
      scene.end(completing(begun.get(0)));
    }
  }

  @Test
  void a_run_that_ends_while_it_is_begun_again_is_not_begun() {
    for (int round = 0; round < ROUNDS; round++) {
      ActiveRun run = scene.running("run_" + round);
      ControllerProcess other = StoreCase.ELSEWHERE;
      Future<EndOutcome> end = one.runEnds().end(completing(run));
      Future<BeginOutcome> begin =
          two.activeRuns().begin(new BeginRun(run.run(), run.trigger(), null, null, other, NOON));

      assertThat(done(end)).isEqualTo(new EndOutcome.Ended());
      assertThat(done(begin)).isEqualTo(new BeginOutcome.AlreadyActive("run_" + round));
      assertThat(done(one.activeRuns().list())).isEmpty();
    }
  }

  @Test
  void a_batch_is_either_stored_before_the_end_or_fenced_out() {
    for (int round = 0; round < ROUNDS; round++) {
      ActiveRun run = scene.running("run_" + round);
      List<Future<IngestOutcome>> batches = new ArrayList<>();
      Future<EndOutcome> end = Future.succeededFuture();
      long before = changesOfAll();
      for (int i = 0; i < 6; i++) {
        // Of streams of their own: a stream has one batch under way at a time.
        batches.add(two.sink()
            .ingest(new IngestBatch(
                run.fence(),
                SHELF,
                "books" + i,
                Semantics.MUTABLE_STATE,
                1,
                List.of(record("k" + round + "_" + i, "{}")),
                NOON)));
        if (i == 2) {
          end = one.runEnds().end(completing(run));
        }
      }

      List<IngestOutcome> outcomes = all(batches);
      assertThat(done(end)).isEqualTo(new EndOutcome.Ended());
      assertThat(outcomes)
          .allMatch(outcome -> outcome instanceof IngestOutcome.Stored
              || outcome instanceof IngestOutcome.FencedOut);
      long stored = changesOfAll() - before;
      assertThat(stored)
          .isLessThanOrEqualTo(
              outcomes.stream().filter(IngestOutcome.Stored.class::isInstance).count());
      assertThat(two.sink().ingest(scene.batch(run, Semantics.MUTABLE_STATE, record("z", "{}"))))
          .satisfies(late -> assertThat(done(late)).isEqualTo(new IngestOutcome.FencedOut()));
      assertThat(changesOfAll()).isEqualTo(before + stored);
    }
  }

  private long changesOfAll() {
    return postgres
        .sql(options, "SELECT count(*) FROM {s}.record_changes")
        .iterator()
        .next()
        .getLong(0);
  }

  @Test
  void a_batch_that_is_sent_twice_at_once_is_stored_once() {
    ActiveRun run = scene.running("run_1");
    for (int round = 1; round <= ROUNDS; round++) {
      IngestBatch batch = new IngestBatch(
          run.fence(),
          SHELF,
          "books",
          Semantics.MUTABLE_STATE,
          round,
          List.of(
              record("a", "{\"v\":" + round + "}"),
              record("a", "{\"w\":" + round + "}"),
              record("k" + round, "{}")),
          NOON);

      List<IngestOutcome> outcomes =
          all(List.of(one.sink().ingest(batch), two.sink().ingest(batch)));

      assertThat(outcomes).allMatch(IngestOutcome.Stored.class::isInstance);
      assertThat(scene.changes()).hasSize(3 * round);
    }
    assertThat(scene.stored()).hasSize(ROUNDS + 1).contains("a@" + 2 * ROUNDS + "={\"w\":15}");
  }

  @Test
  void a_run_completes_or_is_cancelled_but_never_both() {
    for (int round = 0; round < ROUNDS; round++) {
      String runId = "run_" + round;
      ActiveRun run = scene.running(runId);
      Future<EndOutcome> ending = one.runEnds().end(completing(run, cursor("s" + round, 1)));
      Future<CancelOutcome> cancelling = two.activeRuns()
          .requestCancel(new RequestCancel(
              runId, event(TimelineEventType.CANCEL_REQUESTED).byOwner(null), NOON));

      EndOutcome end = done(ending);
      CancelOutcome cancel = done(cancelling);

      boolean committed = scene.cursors(null).contains("s" + round + "={\"page\":1}");
      if (end instanceof EndOutcome.Ended) {
        assertThat(cancel).isInstanceOf(CancelOutcome.AlreadyTerminal.class);
        assertThat(committed).isTrue();
        assertThat(scene.told(runId)).containsExactly("run.completed");
      } else {
        assertThat(end).isEqualTo(new EndOutcome.CancelledFirst());
        assertThat(cancel).isInstanceOf(CancelOutcome.Accepted.class);
        assertThat(committed).isFalse();
        scene.end(ending(run, TimelineEventType.CANCELLED, RunStatus.CANCELLED));
        assertThat(scene.told(runId)).containsExactly("run.cancel_requested", "run.cancelled");
      }
    }
  }

  @Test
  void of_an_owner_and_a_successor_who_end_a_run_at_once_one_does() {
    for (int round = 0; round < ROUNDS; round++) {
      String runId = "run_" + round;
      ActiveRun run = scene.running(runId);
      Future<EndOutcome> owner = one.runEnds().end(completing(run));
      Future<EndOutcome> successor = two.activeRuns()
          .takeOver(new TakeOverRun(runId, run.generation(), StoreCase.ELSEWHERE, NOON))
          .compose(taken -> taken.isEmpty()
              ? Future.succeededFuture(new EndOutcome.FencedOut())
              : two.runEnds()
                  .end(ending(taken.get(), TimelineEventType.ABANDONED, RunStatus.FAILED)));

      List<EndOutcome> outcomes = all(List.of(owner, successor));

      assertThat(outcomes).filteredOn(EndOutcome.Ended.class::isInstance).hasSize(1);
      assertThat(scene.told(runId)).hasSize(1);
      assertThat(done(one.activeRuns().list())).isEmpty();
    }
    assertThat(done(one.history().list(HistoryQuery.newest("shelf")))).hasSize(ROUNDS);
  }

  @Test
  void an_end_that_fails_on_its_way_leaves_nothing_behind_and_stands_when_it_is_sent_again() {
    ActiveRun run = scene.running("run_1");
    EndRun end = completing(run, cursor("books", 5));
    postgres.sql(options, "ALTER TABLE {s}.run_history RENAME TO away");

    Throwable failure = failure(one.runEnds().end(end));

    assertThat(failure).isInstanceOf(RunlaneException.class);
    assertThat(scene.told("run_1")).isEmpty();
    assertThat(scene.cursors(null)).isEmpty();
    assertThat(done(one.activeRuns().find("run_1"))).contains(run);
    postgres.sql(options, "ALTER TABLE {s}.away RENAME TO run_history");
    assertThat(scene.end(end)).isEqualTo(new EndOutcome.Ended());
    assertThat(scene.cursors(null)).hasSize(1);
  }

  @Test
  void the_database_itself_keeps_a_second_terminal_event_out() {
    scene.end(completing(scene.running("run_1")));

    Throwable refused = failure(postgres.connect().compose(connection -> connection
        .query("""
            INSERT INTO {s}.spine_events (env, run_id, event_id, event_type, status, occurred_at, recorded_at,
              trace_id, connector_id, connector_instance_id, actor_type, terminal, kept, data)
            SELECT env, run_id, 'evt_other', 'run.failed', status, occurred_at, recorded_at, trace_id, connector_id,
              connector_instance_id, actor_type, terminal, kept, data
            FROM {s}.spine_events""".replace("{s}", options.getSchema()))
        .execute()
        .eventually(connection::close)));

    assertThat(refused.getMessage()).contains("spine_events_terminal");
  }

  @Test
  void environments_in_one_schema_see_nothing_of_each_other() {
    PgConnectorStore other =
        postgres.connected(new PgConnectorStoreOptions(options).setEnvironment("staging"));
    StoreCase staging = new StoreCase(other, other.records());
    ActiveRun here = scene.running("run_1");
    ActiveRun there = staging.running("run_1");
    scene.ingest(here, record("a", "{}"));

    staging.end(completing(there, cursor("books", 1)));

    assertThat(done(one.activeRuns().list())).containsExactly(here);
    assertThat(scene.told("run_1")).isEmpty();
    assertThat(scene.cursors(null)).isEmpty();
    assertThat(staging.stored()).isEmpty();
    assertThat(done(one.history().stats("shelf")).totalRuns()).isZero();
  }

  @Test
  void a_store_that_is_not_open_refuses_a_batch_as_a_passing_trouble_of_storage() {
    ActiveRun run = scene.running("run_1");
    done(two.close());

    IngestOutcome outcome =
        done(two.sink().ingest(scene.batch(run, Semantics.MUTABLE_STATE, record("a", "{}"))));

    SinkFailure failure = ((IngestOutcome.Refused) outcome).failure();
    assertThat(failure.reason()).isEqualTo("ingest_batch_storage_error");
    assertThat(failure.transientFailure()).isTrue();
    Throwable told = failure(two.activeRuns().list());
    assertThat(((RunlaneException) told).code()).isEqualTo(ErrorCode.OPERATION_CANCELLED);
  }

  @Test
  void retention_leaves_the_newest_five_hundred_entries_of_each_connection() {
    ActiveRun run = scene.running("run_1");
    scene.end(completing(run));
    RunHistoryEntry entry =
        done(one.history().list(HistoryQuery.newest("shelf"))).get(0).entry();
    postgres.sql(options, """
        INSERT INTO {s}.run_history (env, run_id, trace_id, connector_id, connector_instance_id, source,
          trigger_kind, automation_mode, attempt, status, started_at, completed_at, records_emitted, needs_attention,
          known_gaps)
        SELECT env, 'skip_' || i, trace_id, connector_id, connector_instance_id, source, trigger_kind,
          automation_mode, attempt, 'skipped', started_at, completed_at, 0, false, '[]'
        FROM {s}.run_history CROSS JOIN generate_series(1, 520) i""");

    assertThat(done(one.history().pruneEntries(NOON.plusSeconds(3_600), 15))).isEqualTo(15);
    assertThat(done(one.history().pruneEntries(NOON.plusSeconds(3_600), 15))).isEqualTo(5);
    assertThat(done(one.history().pruneEntries(NOON.plusSeconds(3_600), 15))).isZero();

    assertThat(done(one.history().list(HistoryQuery.newest("shelf")))).hasSize(500);
    assertThat(done(one.history().stats("shelf")).lastRun().orElseThrow().entry())
        .isEqualTo(entry);
  }
}
