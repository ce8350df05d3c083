package dev.runlane.connector.store;

import static dev.runlane.connector.store.StoreCase.ELSEWHERE;
import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.completing;
import static dev.runlane.connector.store.StoreCase.deletion;
import static dev.runlane.connector.store.StoreCase.done;
import static dev.runlane.connector.store.StoreCase.failure;
import static dev.runlane.connector.store.StoreCase.record;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.manifest.ManifestStream.Semantics;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.record.CommitCursor;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.EditOutcome;
import dev.runlane.connector.store.record.FlushedStream;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.IngestReceipt;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.record.StateOutcome;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredCursor;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What a sink that keeps records does with batches, whatever it keeps them in. */
@DisplayNameGeneration(ReplaceUnderscores.class)
public abstract class RecordSinkContract {
  /** An empty store. */
  protected abstract StoreCase scene();

  @Test
  void a_record_of_mutable_state_becomes_another_version_with_a_change_each_time_it_differs() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");

    scene.ingest(run, record("a", "{\"v\":1}"), record("b", "{\"v\":1}"));
    scene.ingest(run, record("a", "{\"v\":2}"));

    assertThat(scene.stored()).containsExactly("a@2={\"v\":2}", "b@1={\"v\":1}");
    assertThat(scene.changes()).containsExactly("a@1={\"v\":1}", "b@1={\"v\":1}", "a@2={\"v\":2}");
  }

  @Test
  void an_unchanged_record_makes_no_version_and_no_change() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    scene.ingest(run, record("a", "{\"v\":1}"));

    IngestOutcome outcome = scene.ingest(run, record("a", "{\"v\":1}"));

    assertThat(outcome).isEqualTo(new IngestOutcome.Stored(new IngestReceipt(1, 1, 0, List.of())));
    assertThat(scene.stored()).containsExactly("a@1={\"v\":1}");
    assertThat(scene.changes()).hasSize(1);
  }

  @Test
  void a_known_key_of_an_append_only_stream_changes_nothing() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");

    scene.ingest(scene.batch(
        run, Semantics.APPEND_ONLY, record("a", "{\"v\":1}"), record("a", "{\"v\":2}")));
    scene.ingest(scene.batch(
        run, Semantics.APPEND_ONLY, record("a", "{\"v\":3}"), record("b", "{\"v\":1}")));

    assertThat(scene.stored()).containsExactly("a@1={\"v\":1}", "b@1={\"v\":1}");
    assertThat(scene.changes()).containsExactly("a@1={\"v\":1}", "b@1={\"v\":1}");
  }

  @Test
  void a_deletion_leaves_a_tombstone_once_and_mutable_state_comes_back_after_it() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    scene.ingest(run, record("a", "{\"v\":1}"));

    scene.ingest(run, deletion("a"), deletion("a"), deletion("unknown"));
    assertThat(scene.stored()).containsExactly("a@2=gone", "unknown@1=gone");

    scene.ingest(run, record("a", "{\"v\":1}"));
    assertThat(scene.stored()).containsExactly("a@3={\"v\":1}", "unknown@1=gone");
    assertThat(scene.changes())
        .containsExactly("a@1={\"v\":1}", "a@2=gone", "unknown@1=gone", "a@3={\"v\":1}");
  }

  @Test
  void an_append_only_record_stays_deleted() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");

    scene.ingest(scene.batch(
        run,
        Semantics.APPEND_ONLY,
        record("a", "{\"v\":1}"),
        deletion("a"),
        record("a", "{\"v\":2}"),
        deletion("a")));
    scene.ingest(scene.batch(run, Semantics.APPEND_ONLY, record("a", "{\"v\":3}"), deletion("a")));

    assertThat(scene.stored()).containsExactly("a@2=gone");
    assertThat(scene.changes()).containsExactly("a@1={\"v\":1}", "a@2=gone");
  }

  @Test
  void records_of_one_key_in_one_batch_count_in_their_order() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");

    scene.ingest(
        run,
        record("a", "{\"v\":1}"),
        record("b", "{\"v\":1}"),
        record("a", "{\"v\":2}"),
        record("a", "{\"v\":2}"),
        deletion("a"),
        record("a", "{\"v\":3}"));

    assertThat(scene.stored()).containsExactly("a@4={\"v\":3}", "b@1={\"v\":1}");
    assertThat(scene.changes())
        .containsExactly(
            "a@1={\"v\":1}", "b@1={\"v\":1}", "a@2={\"v\":2}", "a@3=gone", "a@4={\"v\":3}");
  }

  @Test
  void a_batch_that_comes_twice_changes_nothing_the_second_time() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    IngestBatch batch = scene.batch(
        run, Semantics.MUTABLE_STATE, record("a", "{\"v\":1}"), record("a", "{\"v\":2}"));

    IngestOutcome first = scene.ingest(batch);
    IngestOutcome second = scene.ingest(batch);

    assertThat(second).isEqualTo(first);
    assertThat(scene.stored()).containsExactly("a@2={\"v\":2}");
    assertThat(scene.changes()).containsExactly("a@1={\"v\":1}", "a@2={\"v\":2}");
  }

  @Test
  void a_batch_whose_predecessor_is_missing_is_refused_until_that_is_there() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    IngestBatch first = scene.batch(run, Semantics.MUTABLE_STATE, record("a", "{}"));
    IngestBatch second = scene.batch(run, Semantics.MUTABLE_STATE, record("b", "{}"));
    IngestBatch third = scene.batch(run, Semantics.MUTABLE_STATE, record("c", "{}"));
    IngestOutcome missing =
        new IngestOutcome.Refused(SinkFailure.ofLostRecords(SinkFailure.Phase.INGEST));

    assertThat(scene.ingest(second)).isEqualTo(missing);
    scene.ingest(first);
    assertThat(scene.ingest(third)).isEqualTo(missing);

    assertThat(scene.stored()).containsExactly("a@1={}");
    assertThat(scene.changes()).containsExactly("a@1={}");
    assertThat(scene.ingest(second)).isInstanceOf(IngestOutcome.Stored.class);
    assertThat(scene.ingest(third)).isInstanceOf(IngestOutcome.Stored.class);
    scene.end(completing(run));
    ActiveRun next = scene.running("run_2");
    scene.batch(next, Semantics.MUTABLE_STATE, record("d", "{}"));
    assertThat(scene.ingest(next, record("e", "{}")))
        .as("what the run before stored is not this one's")
        .isEqualTo(missing);
    assertThat(scene.stored()).containsExactly("a@1={}", "b@1={}", "c@1={}");
  }

  @Test
  void the_batches_of_the_next_run_count_from_one_again() {
    StoreCase scene = scene();
    ActiveRun first = scene.running("run_1");
    scene.ingest(first, record("a", "{\"v\":1}"));
    scene.end(completing(first));
    ActiveRun second = scene.running("run_2");

    scene.ingest(second, record("a", "{\"v\":2}"));

    assertThat(scene.stored()).containsExactly("a@2={\"v\":2}");
  }

  @Test
  void how_records_are_cut_into_batches_makes_no_difference() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (Semantics semantics : Semantics.values()) {
      List<RecordMessage> records = IntStream.range(0, 200)
          .mapToObj(i -> random.nextInt(4) == 0
              ? deletion("k" + random.nextInt(12))
              : record("k" + random.nextInt(12), "{\"v\":" + random.nextInt(3) + "}"))
          .toList();
      StoreCase whole = scene();
      StoreCase cut = scene();

      whole.ingest(
          whole.batch(whole.running("run_1"), semantics, records.toArray(RecordMessage[]::new)));
      ActiveRun run = cut.running("run_1");
      for (int from = 0; from < records.size(); ) {
        int to = Math.min(records.size(), from + 1 + random.nextInt(20));
        cut.ingest(
            cut.batch(run, semantics, records.subList(from, to).toArray(RecordMessage[]::new)));
        from = to;
      }

      assertThat(cut.stored()).as("%s, seed %d", semantics, seed).isEqualTo(whole.stored());
      assertThat(cut.changes()).as("%s, seed %d", semantics, seed).isEqualTo(whole.changes());
    }
  }

  @Test
  void records_without_a_valid_identity_are_rejected_and_the_others_stored() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    RecordMessage unidentified = new RecordMessage(
        "books", "x", false, Json.ofChecked("{}"), "2026-03-04T11:00:00Z", false, false, 30);

    IngestOutcome outcome = scene.ingest(
        run,
        record("nul\0", "{}"),
        record("a", "{}"),
        unidentified,
        record("half\ud800", "{}"),
        record("k".repeat(1_025), "{}"),
        new RecordMessage("books", "b", false, Json.ofChecked("{}"), "\0", false, true, 30));

    assertThat(outcome)
        .isEqualTo(new IngestOutcome.Stored(new IngestReceipt(
            6,
            1,
            5,
            List.of(
                new IngestReceipt.Rejection(0, "invalid_record_identity"),
                new IngestReceipt.Rejection(2, "invalid_record_identity"),
                new IngestReceipt.Rejection(3, "invalid_record_identity"),
                new IngestReceipt.Rejection(4, "invalid_record_identity"),
                new IngestReceipt.Rejection(5, "malformed_ndjson")))));
    assertThat(scene.stored()).containsExactly("a@1={}");
  }

  @Test
  void a_run_that_has_ended_stores_nothing_more() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    scene.end(completing(run));

    assertThat(scene.ingest(run, record("a", "{}"))).isEqualTo(new IngestOutcome.FencedOut());
    assertThat(commit(scene, run)).isEqualTo(new CommitOutcome.FencedOut());
    assertThat(scene.stored()).isEmpty();
    assertThat(scene.cursors(null)).isEmpty();
  }

  @Test
  void a_run_that_was_taken_over_stores_nothing_more_under_its_old_generation() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    done(scene
        .store
        .activeRuns()
        .takeOver(new TakeOverRun("run_1", run.generation(), ELSEWHERE, NOON)));

    assertThat(scene.ingest(run, record("a", "{}"))).isEqualTo(new IngestOutcome.FencedOut());
    assertThat(commit(scene, run)).isEqualTo(new CommitOutcome.FencedOut());
    assertThat(scene.stored()).isEmpty();
  }

  @Test
  void a_grant_that_cannot_be_used_is_refused_with_its_code_and_nothing_is_stored() {
    assertRefused(GrantAccessMode.CONTINUOUS, GrantState.REVOKED, null, "grant_revoked");
    assertRefused(GrantAccessMode.SINGLE_USE, GrantState.CONSUMED, null, "grant_consumed");
    assertRefused(GrantAccessMode.CONTINUOUS, GrantState.ACTIVE, NOON, "grant_expired");
  }

  private void assertRefused(
      GrantAccessMode mode, GrantState state, Instant expiresAt, String code) {
    StoreCase scene = scene();
    done(scene
        .store
        .grants()
        .put(new Grant("grant-1", SHELF.instanceId(), mode, state, expiresAt), NOON));
    assertGrantRefused(scene, code);
  }

  @Test
  void a_grant_that_does_not_exist_or_is_another_connections_is_invalid() {
    assertGrantRefused(scene(), "grant_invalid");
    StoreCase scene = scene();
    done(scene
        .store
        .grants()
        .put(
            new Grant("grant-1", "other", GrantAccessMode.CONTINUOUS, GrantState.ACTIVE, null),
            NOON));
    assertGrantRefused(scene, "grant_invalid");
  }

  private static void assertGrantRefused(StoreCase scene, String code) {
    ActiveRun run = scene.running("run_1", SHELF, "grant-1");

    assertThat(scene.ingest(run, record("a", "{}")))
        .isEqualTo(new IngestOutcome.Refused(SinkFailure.ofGrant(code, SinkFailure.Phase.INGEST)));
    assertThat(commit(scene, run))
        .isEqualTo(
            new CommitOutcome.Refused(SinkFailure.ofGrant(code, SinkFailure.Phase.STATE_COMMIT)));
    assertThat(scene.stored()).isEmpty();
    assertThat(scene.cursors("grant-1")).isEmpty();
  }

  @Test
  void a_grant_that_is_taken_back_during_a_run_stops_it_there() {
    StoreCase scene = scene();
    done(scene.store.grants().put(usable(GrantAccessMode.CONTINUOUS), NOON));
    ActiveRun run = scene.running("run_1", SHELF, "grant-1");
    scene.ingest(run, record("a", "{}"));

    assertThat(done(scene.store.grants().revoke("grant-1", NOON))).isTrue();

    assertThat(scene.ingest(run, record("b", "{}"))).isInstanceOf(IngestOutcome.Refused.class);
    assertThat(scene.stored()).containsExactly("a@1={}");
  }

  @Test
  void the_grants_of_a_connection_are_listed_those_that_changed_last_first() {
    StoreCase scene = scene();
    for (int number = 1; number <= 3; number++) {
      done(scene
          .store
          .grants()
          .put(granted("grant-" + number, SHELF.instanceId()), NOON.plusSeconds(number)));
    }
    done(scene.store.grants().put(granted("others", "another"), NOON));
    done(scene.store.grants().revoke("grant-1", NOON.plusSeconds(4)));

    assertThat(done(scene.store.grants().ofConnection(SHELF.instanceId(), 2)))
        .extracting(grant -> grant.grantId() + " " + grant.state().value())
        .containsExactly("grant-1 revoked", "grant-3 active");
    assertThat(done(scene.store.grants().ofConnection("nobodys", 2))).isEmpty();
  }

  private static Grant granted(String grantId, String instanceId) {
    return new Grant(grantId, instanceId, GrantAccessMode.CONTINUOUS, GrantState.ACTIVE, null);
  }

  private static Grant usable(GrantAccessMode mode) {
    return new Grant(
        "grant-1", SHELF.instanceId(), mode, GrantState.ACTIVE, NOON.plusSeconds(3_600));
  }

  @Test
  void cursors_of_a_grant_are_kept_apart_from_those_of_the_connection() {
    StoreCase scene = scene();
    done(scene.store.grants().put(usable(GrantAccessMode.CONTINUOUS), NOON));
    ActiveRun run = scene.running("run_1", SHELF, "grant-1");

    assertThat(commit(scene, run)).isEqualTo(new CommitOutcome.Committed());

    assertThat(scene.cursors(null)).isEmpty();
    assertThat(scene.cursors("grant-1")).containsExactly("books={\"page\":5}");
    StateOutcome read = done(scene.store.sink().readState(new StateScope(SHELF, "grant-1")));
    assertThat(((StateOutcome.Found) read).cursors().get("books"))
        .isEqualTo(new StoredCursor("books", Json.ofChecked("{\"page\":5}"), "run_1", 2, NOON));
  }

  private static CommitOutcome commit(StoreCase scene, ActiveRun run) {
    return done(scene
        .store
        .sink()
        .commitCursor(new CommitCursor(
            run.fence(),
            new StateScope(SHELF, run.grantId()),
            StoreCase.cursor("books", 5),
            NOON)));
  }

  @Test
  void the_owner_shows_edits_and_resets_a_cursor_while_nothing_runs() {
    StoreCase scene = scene();
    StateScope scope = StateScope.of(SHELF);
    Json cursor = Json.ofChecked("{\"page\":9}");

    assertThat(done(scene.store.states().edit(scope, "books", cursor, NOON)))
        .isEqualTo(new EditOutcome.Edited());
    assertThat(scene.cursors(null)).containsExactly("books={\"page\":9}");
    ActiveRun run = scene.running("run_1");
    assertThat(done(scene.store.states().edit(scope, "books", cursor, NOON)))
        .isEqualTo(new EditOutcome.RunActive("run_1"));
    assertThat(done(scene.store.states().reset(scope, "books")))
        .isEqualTo(new EditOutcome.RunActive("run_1"));
    scene.end(completing(run));
    assertThat(done(scene.store.states().reset(scope, "books")))
        .isEqualTo(new EditOutcome.Edited());
    assertThat(done(scene.store.states().reset(scope, "books")))
        .isEqualTo(new EditOutcome.NotFound());
    assertThat(scene.cursors(null)).isEmpty();
  }

  @Test
  void a_cursor_that_is_neither_object_nor_null_is_refused_before_anything_is_stored() {
    StoreCase scene = scene();
    for (String text : List.of("[]", "7", "{", "\"x\"", "{} {}")) {
      Throwable failure = failure(
          scene.store.states().edit(StateScope.of(SHELF), "books", Json.ofChecked(text), NOON));
      assertThat(((RunlaneException) failure).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    }
    assertThat(scene.cursors(null)).isEmpty();
  }

  @Test
  void a_batch_without_records_or_with_too_many_is_refused() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    List<RecordMessage> tooMany = new ArrayList<>();
    IntStream.rangeClosed(0, IngestBatch.MOST_RECORDS)
        .forEach(i -> tooMany.add(record("k" + i, "{}")));

    for (RecordMessage[] records :
        List.of(new RecordMessage[0], tooMany.toArray(RecordMessage[]::new))) {
      Throwable failure =
          failure(scene.store.sink().ingest(scene.batch(run, Semantics.MUTABLE_STATE, records)));
      assertThat(((RunlaneException) failure).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    }
    assertThat(scene.stored()).isEmpty();
  }

  @Test
  void old_changes_go_the_oldest_first_and_the_newest_of_a_stream_and_all_records_stay() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    scene.ingest(run, record("a", "{}"), record("b", "{}"), deletion("a"), record("c", "{}"));

    assertThat(scene.pruneChanges(NOON.plusSeconds(1), 2)).isEqualTo(2);
    assertThat(scene.changes()).containsExactly("a@2=gone", "c@1={}");
    assertThat(scene.pruneChanges(NOON.plusSeconds(1), 2)).isEqualTo(1);
    assertThat(scene.pruneChanges(NOON.plusSeconds(1), 2)).isZero();

    assertThat(scene.changes()).containsExactly("c@1={}");
    assertThat(scene.stored()).containsExactly("a@2=gone", "b@1={}", "c@1={}");
    scene.ingest(run, record("a", "{\"v\":1}"));
    assertThat(scene.changes()).containsExactly("c@1={}", "a@3={\"v\":1}");
  }

  @Test
  void a_reader_finds_the_last_change_it_knows_until_one_behind_it_is_deleted() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    scene.ingest(run, record("a", "{}"), record("b", "{}"), record("c", "{}"));
    List<Long> sequences = scene.sequencesOfChanges(0);

    scene.pruneChanges(NOON.plusSeconds(1), 1);

    assertThat(scene.sequencesOfChanges(sequences.get(1) - 1))
        .containsExactly(sequences.get(1), sequences.get(2));
    scene.pruneChanges(NOON.plusSeconds(1), 1);
    assertThat(scene.sequencesOfChanges(sequences.get(1) - 1)).containsExactly(sequences.get(2));
    scene.ingest(run, record("d", "{}"));
    assertThat(scene.sequencesOfChanges(sequences.get(2)))
        .singleElement()
        .satisfies(next -> assertThat(next).isGreaterThan(sequences.get(2)));
  }

  @Test
  void changes_that_are_younger_than_retention_asks_for_and_those_behind_them_stay() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    scene.ingest(scene.at(NOON.plusSeconds(60), run, record("a", "{}")));
    scene.ingest(scene.at(NOON, run, record("b", "{}"))); // by a clock that is behind
    scene.ingest(scene.at(NOON.plusSeconds(61), run, record("c", "{}")));

    assertThat(scene.pruneChanges(NOON.plusSeconds(60), 100)).isZero();
    assertThat(scene.pruneChanges(NOON.plusSeconds(61), 100)).isEqualTo(2);

    assertThat(scene.changes()).containsExactly("c@1={}");
  }

  @Test
  void changes_of_all_streams_are_deleted_as_many_as_were_asked_for() {
    StoreCase scene = scene();
    for (String instance : List.of("one", "two", "three")) {
      ActiveRun run = scene.running("run_" + instance, ConnectorRef.of(instance), null);
      scene.ingest(run, record("a", "{}"), record("b", "{}"), record("c", "{}"));
    }

    assertThat(scene.pruneChanges(NOON.plusSeconds(1), 5)).isEqualTo(5);
    assertThat(scene.pruneChanges(NOON.plusSeconds(1), 5)).isEqualTo(1);
    assertThat(scene.pruneChanges(NOON.plusSeconds(1), 5)).isZero();
  }

  @Test
  void no_more_than_10_000_changes_are_deleted_at_a_time() {
    StoreCase scene = scene();

    for (int limit : List.of(0, -1, 10_001)) {
      Throwable failure = failure(scene.store.sink().pruneChanges(NOON, limit));
      assertThat(((RunlaneException) failure).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    }
  }

  @Test
  void R6_S8_what_was_taken_of_a_run_is_counted_with_the_records_once() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    IngestBatch batch = scene.batch(
        run, Semantics.MUTABLE_STATE, record("a", "{}"), record("x".repeat(2_000), "{}"));
    scene.ingest(batch);
    scene.ingest(batch);
    scene.ingest(run, record("a", "{}"), record("b", "{}"));

    assertThat(done(scene.store.activeRuns().flushed(run.fence())))
        .containsExactly(new FlushedStream("books", 4, 3));

    scene.end(completing(run));
    ActiveRun next = scene.running("run_2");
    assertThat(done(scene.store.activeRuns().flushed(next.fence()))).isEmpty();
    scene.ingest(next, record("c", "{}"));
    assertThat(done(scene.store.activeRuns().flushed(next.fence())))
        .containsExactly(new FlushedStream("books", 1, 1));
    assertThat(done(scene.store.activeRuns().flushed(run.fence()))).isEmpty();
  }
}
