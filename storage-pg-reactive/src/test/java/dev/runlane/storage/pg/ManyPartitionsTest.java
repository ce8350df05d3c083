package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.DEFAULT_QUEUE;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A claim looks at a part of very many partitions; every one gets its turn. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ManyPartitionsTest {
  private static final int PARTITIONS = 600;
  private static final QueuePolicy ONE_EACH = QueuePolicy.bounded("bounded", 1);

  private final Scene scene = Scene.open();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void claims_reach_every_partition_and_none_holds_more_than_its_limit() {
    PgStorageAdapter storage = scene.start();
    List<Future<?>> stored = new ArrayList<>();
    for (int i = 0; i < 2 * PARTITIONS; i++) {
      stored.add(storage.appendRunEvents(TestRuns.queued("run_" + i)
          .queue(ONE_EACH)
          .concurrencyKey("key_" + i % PARTITIONS)
          .creation()
          .in(ONE_EACH)));
    }
    stored.forEach(Outcomes::done);

    Set<String> keys = new HashSet<>();
    int claimed = 0;
    boolean more = true;
    for (int round = 0; more; round++) {
      ClaimedRuns claim = Scene.claim(storage, List.of(ONE_EACH), "tok_" + round, 100);
      claim.runs().forEach(each -> keys.add(each.run().keys().concurrencyKey()));
      claimed += claim.runs().size();
      more = claim.mayHaveMore();
    }

    assertThat(claimed).isEqualTo(PARTITIONS);
    assertThat(keys).hasSize(PARTITIONS);
    scene.audit();
  }

  @Test
  void claims_are_full_though_partitions_with_room_for_many_have_one_waiting_run_each() {
    QueuePolicy tenEach = QueuePolicy.bounded("roomy", 10);
    PgStorageAdapter storage = scene.start();
    store(storage, tenEach, 500);

    List<Integer> claims = new ArrayList<>();
    ClaimedRuns claim;
    do {
      claim = Scene.claim(storage, List.of(tenEach), "tok_" + claims.size(), 100);
      claims.add(claim.runs().size());
    } while (claim.mayHaveMore());

    assertThat(claims).startsWith(100).hasSizeLessThanOrEqualTo(8);
    assertThat(claims.stream().mapToInt(Integer::intValue).sum()).isEqualTo(500);
    scene.audit();
  }

  @Test
  void of_two_tasks_a_partition_gives_no_more_than_it_has_room_for() {
    QueuePolicy threeEach = QueuePolicy.bounded("narrow", 3);
    PgStorageAdapter storage = scene.start();
    IntStream.range(0, 200)
        .mapToObj(
            i -> storage.appendRunEvents(TestRuns.queued(String.format(Locale.ROOT, "run_%03d", i))
                .task(i < 100 ? "first" : "second")
                .queue(threeEach)
                .concurrencyKey("key_" + i % 20)
                .creation()
                .in(threeEach)))
        .toList()
        .forEach(Outcomes::done);

    ClaimedRuns claim = claimOf(storage, threeEach, "tok_1", 40);
    ClaimedRuns rest = claimOf(storage, threeEach, "tok_2", 40);

    assertThat(claim.runs()).hasSize(40);
    assertThat(claim.mayHaveMore()).isTrue();
    assertThat(rest.runs()).hasSize(20 * 3 - 40);
    assertThat(claim.runs()).allMatch(each -> each.run().taskId().equals("first"));
    scene.audit();
  }

  @Test
  void a_claim_may_have_more_until_a_whole_round_has_met_nothing() {
    PgStorageAdapter storage = scene.start();
    store(storage, ONE_EACH, PARTITIONS);
    List<ClaimedRuns> claims = new ArrayList<>();
    claims.add(Scene.claim(
        storage, List.of(ONE_EACH), "tok_first", 256)); // a whole walk, full from now on
    do {
      claims.add(Scene.claim(storage, List.of(ONE_EACH), "tok_" + claims.size(), 20));
    } while (claims.get(claims.size() - 1).mayHaveMore());

    assertThat(claims.stream().mapToInt(claim -> claim.runs().size()).sum()).isEqualTo(PARTITIONS);
  }

  @Test
  void a_walk_with_nothing_left_behind_its_position_begins_anew() {
    PgStorageAdapter storage = scene.start();
    List<Future<?>> stored = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      stored.add(storage.appendRunEvents(TestRuns.queued("run_" + i)
          .queue(ONE_EACH)
          .concurrencyKey(String.format(Locale.ROOT, "key_%03d", i))
          .creation()
          .in(ONE_EACH)));
    }
    stored.forEach(Outcomes::done);
    ClaimedRuns first = Scene.claim(storage, List.of(ONE_EACH), "tok_first", 256);
    assertThat(first.mayHaveMore()).isTrue();
    ClaimedRuns last = Scene.claim(storage, List.of(ONE_EACH), "tok_last", 256);
    first.runs().forEach(each -> done(Scene.succeed(storage, each.run())));
    last.runs().forEach(each -> done(Scene.succeed(storage, each.run())));
    done(storage.appendRunEvents(TestRuns.queued("run_new")
        .queue(ONE_EACH)
        .concurrencyKey("key_000")
        .creation()
        .in(ONE_EACH)));

    List<String> claimed = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      Scene.claim(storage, List.of(ONE_EACH), "tok_new_" + round, 10)
          .runs()
          .forEach(each -> claimed.add(each.run().id()));
    }

    assertThat(claimed).containsExactly("run_new");
  }

  @Test
  void a_walk_that_has_not_come_round_goes_on_though_another_queues_has_and_found_nothing() {
    QueuePolicy wide = QueuePolicy.bounded("wide", 1);
    PgStorageAdapter storage = scene.start();
    PgStorageAdapter other = scene.start();
    store(storage, ONE_EACH, 300);
    store(storage, wide, 900);
    for (int round = 0; Scene.claim(other, List.of(wide), "tok_" + round, 900).mayHaveMore(); ) {
      round++; // until every partition has its one
    }
    done(storage.appendRunEvents(TestRuns.queued("run_last")
        .queue(wide)
        .concurrencyKey("last")
        .creation()
        .in(wide)));
    Scene.claim(storage, List.of(ONE_EACH), "tok_first", 256);

    List<String> claimed = new ArrayList<>();
    boolean more = true;
    for (int round = 0; more && round < 10; round++) {
      ClaimedRuns claim = Scene.claim(storage, List.of(ONE_EACH, wide), "tok_both_" + round, 100);
      claim.runs().forEach(each -> claimed.add(each.run().id()));
      more = claim.mayHaveMore();
    }

    assertThat(claimed).hasSize(300 - 256 + 1).contains("run_last");
  }

  @Test
  void what_was_claimed_is_answered_though_the_look_at_the_first_partitions_fails() {
    PgStorageAdapter storage = scene.start();
    store(storage, ONE_EACH, 300);
    Scene.claim(storage, List.of(ONE_EACH), "tok_first", 256);
    Scene.execute(scene.connect(), """
        CREATE FUNCTION {s}.refuse_second() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF EXISTS (SELECT FROM {s}.active_runs WHERE lease_token = 'tok_second') THEN
            RAISE EXCEPTION 'no claim any more';
          END IF;
          RETURN NULL;
        END $$;
        CREATE TRIGGER refuse_second BEFORE UPDATE ON {s}.active_runs
          FOR EACH STATEMENT EXECUTE FUNCTION {s}.refuse_second()
        """.replace("{s}", scene.schema()));

    ClaimedRuns claimed = Scene.claim(storage, List.of(ONE_EACH), "tok_second", 100);

    assertThat(claimed.runs()).hasSize(300 - 256);
    assertThat(claimed.mayHaveMore()).isTrue();
    assertThatThrownBy(() -> Scene.claim(storage, List.of(ONE_EACH), "tok_third", 100))
        .as("by now no claim succeeds")
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void what_somebody_holds_before_the_walk_comes_round_is_told_of() {
    PgStorageAdapter storage = scene.start();
    store(storage, ONE_EACH, 300);
    Scene.claim(storage, List.of(ONE_EACH), "tok_first", 256);
    PgConnection holder = scene.begin();
    Scene.execute(
        holder,
        "SELECT 1 FROM " + scene.schema() + ".active_runs WHERE concurrency_key = 'key_299'"
            + " FOR UPDATE");

    ClaimedRuns claimed = Scene.claim(storage, List.of(ONE_EACH), "tok_second", 100);

    assertThat(claimed.runs()).hasSize(300 - 256 - 1);
    assertThat(claimed.mayHaveMore()).isTrue();
  }

  @Test
  void a_backlog_in_one_queue_does_not_starve_the_others() {
    PgStorageAdapter storage = scene.start();
    for (int i = 0; i < 60; i++) {
      scene.store(TestRuns.queued("run_default_" + i), storage);
      done(storage.appendRunEvents(TestRuns.queued("run_bounded_" + i)
          .queue(ONE_EACH)
          .concurrencyKey("key_" + i)
          .creation()
          .in(ONE_EACH)));
    }

    Set<String> queues = new HashSet<>();
    for (int round = 0; round < 2; round++) {
      Scene.claim(storage, List.of(DEFAULT_QUEUE, ONE_EACH), "tok_" + round, 40)
          .runs()
          .forEach(each -> queues.add(each.run().queue()));
    }

    assertThat(queues).containsExactlyInAnyOrder("default", "bounded");
    assertThat(Scene.claim(storage, List.of(), "tok", 1).runs()).isEmpty();
  }

  private static ClaimedRuns claimOf(
      PgStorageAdapter storage, QueuePolicy queue, String token, int limit) {
    return done(storage
        .batch()
        .orElseThrow()
        .claimRuns(new ClaimRuns(
            ENVIRONMENT,
            List.of(queue),
            List.of("first", "second"),
            "worker_1",
            token,
            MINUTE,
            NOON,
            limit)));
  }

  private static void store(PgStorageAdapter storage, QueuePolicy queue, int partitions) {
    IntStream.range(0, partitions)
        .mapToObj(i -> storage.appendRunEvents(TestRuns.queued("run_" + queue.queue() + i)
            .queue(queue)
            .concurrencyKey(String.format(Locale.ROOT, "key_%03d", i))
            .creation()
            .in(queue)))
        .toList()
        .forEach(Outcomes::done);
  }
}
