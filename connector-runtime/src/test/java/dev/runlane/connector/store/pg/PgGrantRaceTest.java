package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.beginning;
import static dev.runlane.connector.store.StoreCase.completing;
import static dev.runlane.connector.store.StoreCase.cursor;
import static dev.runlane.connector.store.StoreCase.done;
import static dev.runlane.connector.store.StoreCase.ending;
import static dev.runlane.connector.store.StoreCase.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.connector.store.StoreCase;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.EndOutcome;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.connector.store.timeline.TimelineEventType;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A grant is used up by one run that succeeds, whoever competes and whoever dies. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgGrantRaceTest {
  private static final int COMPETITORS = 20;
  private static final int ROUNDS = 5;

  private final PgScene postgres = new PgScene();
  private final PgConnectorStoreOptions options = postgres.options();
  private final List<PgConnectorStore> stores = List.of(
      postgres.connected(options), postgres.connected(options), postgres.connected(options));
  private final StoreCase scene = new StoreCase(stores.get(0), stores.get(0).records());

  @AfterEach
  void close() {
    postgres.close();
  }

  private PgConnectorStore store(int competitor) {
    return stores.get(competitor % stores.size());
  }

  private void grant(GrantState state, @Nullable Instant expiresAt) {
    done(scene
        .store
        .grants()
        .put(new Grant("once", "shelf", GrantAccessMode.SINGLE_USE, state, expiresAt), NOON));
  }

  private GrantState state() {
    return done(scene.store.grants().find("once")).orElseThrow().state();
  }

  private static <T> List<T> together(List<Future<T>> futures) {
    done(Future.join(futures).transform((joined, failure) -> Future.succeededFuture()));
    return futures.stream().map(StoreCase::done).toList();
  }

  @Test
  void R9_S1_of_twenty_who_begin_a_run_under_one_grant_at_once_one_does() {
    for (int round = 0; round < ROUNDS; round++) {
      grant(GrantState.ACTIVE, null);
      int now = round;
      List<ActiveRun> begun = together(IntStream.range(0, COMPETITORS)
              .mapToObj(each -> store(each)
                  .activeRuns()
                  .begin(beginning("run_" + now + "_" + each, SHELF, "once")))
              .toList())
          .stream()
          .filter(BeginOutcome.Begun.class::isInstance)
          .map(outcome -> ((BeginOutcome.Begun) outcome).run())
          .toList();

      assertThat(begun).hasSize(1);
      assertThat(state()).isEqualTo(GrantState.ACTIVE);
      assertThat(scene.end(completing(begun.get(0)))).isEqualTo(new EndOutcome.Ended());
      assertThat(state()).isEqualTo(GrantState.CONSUMED);
    }
  }

  @Test
  void R9_S1_of_twenty_ends_of_one_run_that_disagree_one_stands_and_the_grant_goes_with_it() {
    for (int round = 0; round < ROUNDS; round++) {
      grant(GrantState.ACTIVE, null);
      ActiveRun run = scene.running("run_" + round, SHELF, "once");
      List<EndOutcome> ends = together(IntStream.range(0, COMPETITORS)
          .mapToObj(each -> store(each)
              .runEnds()
              .end(
                  each % 2 == 0
                      ? completing(run)
                      : ending(run, TimelineEventType.FAILED, RunStatus.FAILED)))
          .toList());

      assertThat(ends).filteredOn(EndOutcome.Ended.class::isInstance).hasSize(1);
      boolean completed = scene.told("run_" + round).equals(List.of("run.completed"));
      assertThat(state()).isEqualTo(completed ? GrantState.CONSUMED : GrantState.ACTIVE);
    }
  }

  @Test
  void R9_S2_a_run_whose_process_died_before_its_end_leaves_the_grant_to_its_successor() {
    grant(GrantState.ACTIVE, null);
    ActiveRun lost = scene.running("run_1", SHELF, "once");
    scene.ingest(lost, record("a", "{}"));
    ActiveRun taken = done(scene
            .store
            .activeRuns()
            .takeOver(new TakeOverRun("run_1", lost.generation(), StoreCase.ELSEWHERE, NOON)))
        .orElseThrow();
    scene.end(ending(taken, TimelineEventType.ABANDONED, RunStatus.FAILED));

    assertThat(scene.end(completing(lost))).isInstanceOf(EndOutcome.AlreadyEnded.class);
    assertThat(state()).isEqualTo(GrantState.ACTIVE);
    assertThat(scene.end(completing(scene.running("run_2", SHELF, "once"))))
        .isEqualTo(new EndOutcome.Ended());
    assertThat(state()).isEqualTo(GrantState.CONSUMED);
  }

  @Test
  void
      R9_S3_a_grant_taken_back_while_its_run_ends_is_revoked_and_its_cursors_are_stored_before_or_not() {
    for (int round = 0; round < ROUNDS; round++) {
      done(scene
          .store
          .grants()
          .put(
              new Grant("lasting", "shelf", GrantAccessMode.CONTINUOUS, GrantState.ACTIVE, null),
              NOON));
      ActiveRun run = scene.running("run_" + round, SHELF, "lasting");
      Future<EndOutcome> end = store(0).runEnds().end(completing(run, cursor("s" + round, 1)));
      Future<Boolean> revoked = store(1).grants().revoke("lasting", NOON);

      EndOutcome outcome = done(end);
      assertThat(done(revoked)).isTrue();

      boolean stored = scene.cursors("lasting").contains("s" + round + "={\"page\":1}");
      assertThat(stored).isEqualTo(outcome instanceof EndOutcome.Ended);
      assertThat(done(scene.store.grants().find("lasting")).orElseThrow().state())
          .isEqualTo(GrantState.REVOKED);
      if (!stored) {
        assertThat(((EndOutcome.CursorsRefused) outcome).failure().reason())
            .isEqualTo("grant_revoked");
        scene.end(ending(run, TimelineEventType.FAILED, RunStatus.FAILED));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ACTIVE, shelf, -1, grant_expired",
    "ACTIVE, attic, 1, grant_invalid",
    "CONSUMED, shelf, 1, grant_consumed",
    "REVOKED, shelf, 1, grant_revoked"
  })
  void R9_S3_a_batch_under_a_grant_that_cannot_be_used_is_refused_with_its_code_and_not_stored(
      GrantState state, String instance, int expiresInMinutes, String code) {
    done(scene
        .store
        .grants()
        .put(
            new Grant(
                "once",
                instance,
                GrantAccessMode.SINGLE_USE,
                state,
                NOON.plusSeconds(60L * expiresInMinutes)),
            NOON));
    ActiveRun run = scene.running("run_1", SHELF, "once");

    IngestOutcome outcome = scene.ingest(run, record("a", "{}"));

    assertThat(((IngestOutcome.Refused) outcome).failure().reason()).isEqualTo(code);
    assertThat(((IngestOutcome.Refused) outcome).failure().transientFailure()).isFalse();
    assertThat(scene.stored()).isEmpty();
  }

  @Test
  void a_grant_in_a_state_of_a_later_release_is_listed_with_the_others_and_lets_nobody_use_it() {
    grant(GrantState.ACTIVE, null);
    ActiveRun run = scene.running("run_1", SHELF, "once");
    String grants = options.getSchema() + ".connector_grants";
    postgres.sql(
        options,
        "ALTER TABLE " + grants + " DROP CONSTRAINT connector_grants_state,"
            + " DROP CONSTRAINT connector_grants_mode;"
            + " UPDATE " + grants + " SET state = 'suspended', access_mode = 'weekly'");

    assertThat(done(scene.store.grants().ofConnection("shelf", 10)))
        .extracting(Grant::state, Grant::accessMode)
        .containsExactly(tuple(GrantState.REVOKED, GrantAccessMode.SINGLE_USE));
    IngestOutcome outcome = scene.ingest(run, record("a", "{}"));
    assertThat(((IngestOutcome.Refused) outcome).failure().reason()).isEqualTo("grant_revoked");
    assertThat(scene.stored()).isEmpty();
  }

  @Test
  void R9_S3_a_batch_under_a_grant_that_is_not_there_is_refused_as_invalid() {
    ActiveRun run = scene.running("run_1", SHELF, "nowhere");

    IngestOutcome outcome = scene.ingest(run, record("a", "{}"));

    assertThat(((IngestOutcome.Refused) outcome).failure().reason()).isEqualTo("grant_invalid");
    assertThat(scene.stored()).isEmpty();
  }
}
