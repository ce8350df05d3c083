package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static dev.runlane.storage.pg.Scene.TASK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Fires whose occurrences were removed, and processes that hold them for open. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PrunedOccurrencesTest {
  private static final Instant LATER = NOON.plus(Duration.ofDays(30));

  private final Scene scene = Scene.open();
  private PgStorageAdapter storage;

  @BeforeEach
  void completeThreeFires() {
    storage = scene.start(scene.options().setLockTimeout(Duration.ofSeconds(60)));
    done(storage
        .schedules()
        .orElseThrow()
        .registerSchedules(new RegisterSchedules(
            ENVIRONMENT,
            List.of(new RegisterSchedules.Definition(TASK, "nightly", "every PT1M")),
            LATER,
            MINUTE)));
    for (int fire = 1; fire <= 3; fire++) {
      Instant at = NOON.plusSeconds(fire);
      String token = done(claim(fire, at)).orElseThrow().claimToken();
      done(storage.completeScheduleOccurrence(new CompleteScheduleOccurrence(
          ENVIRONMENT, "occ_" + fire, token, List.of("run_" + fire), at, TASK)));
    }
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_claim_that_waits_for_the_removal_of_its_fire_is_refused() {
    PgConnection pruning = scene.begin();
    int env = (int) scene.number("SELECT min(env) FROM {schema}.schedule_occurrences");
    PruneOccurrences command = new PruneOccurrences(ENVIRONMENT, LATER, 10);
    assertThat(done(PgParts.statements(scene.schema())
                .get(PgSchedules.PRUNE)
                .execute(pruning, new PgSession.Scoped<>(env, command)))
            .iterator()
            .next()
            .getInteger(0))
        .isEqualTo(2);

    Future<Optional<ClaimedOccurrence>> claimed = claim(1, LATER);
    Scene.until(() -> claimed.isComplete() || claimsThatWait() > 0);
    Scene.execute(pruning, "COMMIT");

    assertThat(done(claimed)).isEmpty();
    assertThat(scene.rows("schedule_occurrences")).isEqualTo(1);
  }

  private long claimsThatWait() {
    return scene.number("""
        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
          AND wait_event_type = 'Lock' AND query LIKE '%{schema}%schedule_occurrences AS o%'
        """);
  }

  @Test
  void what_somebody_holds_is_passed_over_and_removed_the_next_time() {
    PgConnection holder = scene.begin();
    Scene.execute(
        holder,
        "SELECT 1 FROM " + scene.schema() + ".schedule_occurrences WHERE occurrence_id = 'occ_1'"
            + " FOR UPDATE");

    assertThat(prune()).as("but for the fire that somebody holds").isEqualTo(1);
    Scene.execute(holder, "ROLLBACK");

    assertThat(prune()).isEqualTo(1);
    assertThat(done(claim(1, LATER))).isEmpty();
    assertThat(done(claim(2, LATER))).isEmpty();
  }

  @Test
  void the_release_before_gets_none_either_under_a_role_that_knows_the_old_tables_only() {
    prune();
    String role = "before_" + scene.schema();
    done(PgStorageFixture.sql(
        scene.vertx(), """
        CREATE ROLE {role} LOGIN PASSWORD 'secret';
        GRANT USAGE ON SCHEMA {schema} TO {role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.schedule_occurrences TO {role};
        """.replace("{role}", role).replace("{schema}", scene.schema())));
    try {
      PgConnection before = done(PgConnection.connect(
          scene.vertx(), scene.options().getConnectOptions().setUser(role).setPassword("secret")));

      assertThat(claimByHand(before, 1)).isZero();
      assertThat(claimByHand(before, 3)).as("the latest, which is completed").isZero();
      assertThat(claimByHand(before, 4)).isEqualTo(1);
      done(before.close());
    } finally {
      done(PgStorageFixture.sql(scene.vertx(), "DROP OWNED BY " + role + "; DROP ROLE " + role));
    }
  }

  /** The statement of the release before; how many rows it answers. */
  private int claimByHand(PgConnection before, int fire) {
    return done(before
            .preparedQuery("""
                INSERT INTO {schema}.schedule_occurrences AS o
                  (env, occurrence_id, schedule_id, fire_at, status, claim_token, claim_expires_at, updated_at)
                SELECT min(x.env), $1::text, 'nightly', $2::timestamptz, 'claimed', 'tok', $3::timestamptz,
                  $3::timestamptz FROM {schema}.schedule_occurrences x
                ON CONFLICT (env, occurrence_id) DO UPDATE
                  SET claim_token = excluded.claim_token, claim_expires_at = excluded.claim_expires_at,
                    updated_at = excluded.updated_at
                  WHERE o.status = 'claimed' AND o.claim_expires_at <= excluded.updated_at
                RETURNING schedule_id
                """.replace("{schema}", scene.schema()))
            .execute(Tuple.of(
                "occ_" + fire,
                NOON.plusSeconds(fire).atOffset(ZoneOffset.UTC),
                LATER.atOffset(ZoneOffset.UTC))))
        .rowCount();
  }

  private int prune() {
    return done(storage
        .schedules()
        .orElseThrow()
        .pruneOccurrences(new PruneOccurrences(ENVIRONMENT, LATER, 10)));
  }

  private Future<Optional<ClaimedOccurrence>> claim(int fire, Instant now) {
    return storage.claimScheduleOccurrence(new ClaimScheduleOccurrence(
        ENVIRONMENT, "nightly", "occ_" + fire, NOON.plusSeconds(fire), now, MINUTE));
  }
}
