package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static dev.runlane.storage.pg.Scene.TASK;
import static dev.runlane.storage.pg.Scene.execute;
import static dev.runlane.storage.pg.Scene.find;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A queue may become bounded and unbounded again; what is counted is always what occupies a slot. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class QueuePolicyChangeTest {
  private static final QueuePolicy UNBOUNDED = QueuePolicy.unbounded("changing");
  private static final Instant LATER = NOON.plus(MINUTE.multipliedBy(60));

  private final Scene scene = Scene.open();
  private PgStorageAdapter storage;

  @BeforeEach
  void start() {
    storage = scene.start();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void runs_in_every_status_count_as_they_should_once_their_queue_is_bounded() {
    storeEveryStatus(UNBOUNDED);

    ClaimedRuns claimed =
        Scene.claimAt(storage, List.of(bounded(4)), "tok_new", NOON.plusSeconds(30), 10);

    scene.audit();
    assertThat(occupied()).isEqualTo(4); // running, expired, cancelling, and one claimed now
    assertThat(claimed.runs()).hasSize(2); // the expired lease kept its slot
    assertThat(Scene.claim(storage, List.of(bounded(4)), "tok_more", 10).runs()).isEmpty();
  }

  @Test
  void runs_in_every_status_are_free_again_once_their_queue_is_unbounded() {
    storeEveryStatus(bounded(9));
    assertThat(occupied()).isEqualTo(4); // running, expired, cancelling, reserved
    scene.audit();

    ClaimedRuns claimed = Scene.claimAt(storage, List.of(UNBOUNDED), "tok_new", LATER, 20);

    scene.audit();
    assertThat(occupied()).isZero();
    assertThat(claimed.runs())
        .extracting(each -> each.run().id())
        .containsExactlyInAnyOrder(
            "run_queued",
            "run_scheduled",
            "run_running",
            "run_expired",
            "run_retrying",
            "run_released",
            "run_reserved");
  }

  @Test
  void a_queue_that_changes_back_and_forth_ends_every_run_and_counts_right_throughout() {
    for (int i = 0; i < 30; i++) {
      scene.store(
          TestRuns.queued("run_" + i).queue(UNBOUNDED).concurrencyKey("key_" + i % 3), storage);
    }

    int ended = 0;
    for (int round = 0; ended < 30; round++) {
      QueuePolicy policy = round % 2 == 0 ? bounded(2) : UNBOUNDED;
      ClaimedRuns claimed = Scene.claim(storage, List.of(policy), "tok_" + round, 4);
      scene.audit();
      assertThat(claimed.runs()).isNotEmpty();
      for (ClaimedRuns.Claimed run : claimed.runs().subList(1, claimed.runs().size())) {
        done(Scene.succeed(storage, run.run()));
        ended++;
      }
      scene.audit();
      done(Scene.succeed(storage, claimed.runs().get(0).run()));
      ended++;
    }

    assertThat(scene.rows("terminal_runs")).isEqualTo(30);
    assertThat(occupied()).isZero();
  }

  @Test
  void a_reservation_that_counts_again_with_the_limit_ends_when_it_would_have() {
    scene.store(TestRuns.reserved("run_reserved", NOON.plus(MINUTE)).queue(bounded(1)), storage);
    done(storage.listRunnableRuns(new ListRunnableRuns(
        ENVIRONMENT, List.of(UNBOUNDED), List.of(TASK), NOON.minusSeconds(1), 10)));
    assertThat(occupied()).isZero();
    scene.store(TestRuns.queued("run_queued").queue(UNBOUNDED), storage);

    assertThat(done(storage.listRunnableRuns(new ListRunnableRuns(
            ENVIRONMENT, List.of(bounded(1)), List.of(TASK), NOON.minusSeconds(1), 10))))
        .isEmpty();
    assertThat(occupied()).isEqualTo(1);
    scene.audit();

    assertThat(claimAt(NOON.plus(MINUTE))).as("its slot is free").containsExactly("run_queued");
    assertThat(occupied()).isEqualTo(1);
    scene.audit();
  }

  private List<String> claimAt(Instant now) {
    return ids(Scene.claimAt(storage, List.of(bounded(1)), "tok_late", now, 10));
  }

  @Test
  void a_long_backlog_is_rewritten_whole() {
    List<Future<RunRecord>> stored = new ArrayList<>();
    for (int i = 0; i < 1_200; i++) {
      stored.add(TestRuns.queued("run_" + i).queue(UNBOUNDED).storeIn(storage));
    }
    stored.forEach(Outcomes::done);

    assertThat(Scene.claim(storage, List.of(bounded(3)), "tok_1", 10).runs()).hasSize(3);

    assertThat(scene.number("SELECT count(*) FROM {schema}.active_runs WHERE partition IS NULL"))
        .isZero();
    assertThat(occupied()).isEqualTo(3);
  }

  @Test
  void a_queue_whose_runs_somebody_holds_when_it_gets_a_limit_keeps_no_other_queue_waiting() {
    QueuePolicy other = QueuePolicy.unbounded("other");
    scene.store(TestRuns.queued("run_held").queue(UNBOUNDED), storage);
    scene.store(TestRuns.queued("run_other").queue(other), storage);
    PgConnection holder = scene.begin();
    execute(
        holder,
        "SELECT FROM " + scene.schema() + ".active_runs WHERE run_id = 'run_held' FOR UPDATE");

    ClaimedRuns first = Scene.claim(storage, List.of(bounded(1), other), "tok_1", 10);
    ClaimedRuns second = Scene.claim(storage, List.of(bounded(1), other), "tok_2", 10);

    assertThat(ids(first)).containsExactly("run_other");
    assertThat(first.mayHaveMore()).isTrue();
    assertThat(second.runs()).isEmpty();
    assertThat(second.mayHaveMore()).isTrue();
    execute(holder, "COMMIT");
    assertThat(claim("tok_3", 10)).as("alone it is waited for").containsExactly("run_held");
    assertThat(occupied()).isEqualTo(1);
    scene.audit();
  }

  @Test
  void a_queue_whose_runs_somebody_holds_keeps_no_look_at_other_queues_waiting() {
    QueuePolicy other = QueuePolicy.bounded("other", 1);
    scene.store(TestRuns.queued("run_held").queue(UNBOUNDED), storage);
    scene.store(TestRuns.queued("run_other").queue(other), storage);
    PgConnection holder = scene.begin();
    execute(
        holder,
        "SELECT FROM " + scene.schema() + ".active_runs WHERE run_id = 'run_held' FOR UPDATE");

    assertThat(done(storage.listRunnableRuns(new ListRunnableRuns(
            ENVIRONMENT, List.of(bounded(1), other), List.of(TASK), LATER, 10))))
        .extracting(RunnableRunRef::runId)
        .containsExactly("run_other");
    assertThat(done(storage.listRunsNeedingDispatch(
            new ListRunsNeedingDispatch(ENVIRONMENT, List.of(bounded(1), other), LATER, 10))))
        .extracting(RunnableRunRef::runId)
        .containsExactly("run_other");
    execute(holder, "COMMIT");
    assertThat(done(storage.listRunsNeedingDispatch(
            new ListRunsNeedingDispatch(ENVIRONMENT, List.of(bounded(1)), LATER, 10))))
        .extracting(RunnableRunRef::runId)
        .as("alone it is waited for")
        .containsExactly("run_held");
    scene.audit();
  }

  @Test
  void a_queue_whose_runs_somebody_holds_when_it_loses_its_limit_keeps_no_other_one_waiting() {
    QueuePolicy other = QueuePolicy.unbounded("other");
    scene.store(TestRuns.reserved("run_held", NOON.plus(MINUTE)).queue(bounded(1)), storage);
    scene.store(TestRuns.released("run_released", NOON.plus(MINUTE)).queue(other), storage);
    scene.store(TestRuns.queued("run_other").queue(other), storage);
    PgConnection holder = scene.begin();
    execute(
        holder,
        "SELECT FROM " + scene.schema() + ".active_runs WHERE run_id = 'run_held' FOR UPDATE");

    assertThat(done(storage.listRunsNeedingDelivery(new ListRunsNeedingDelivery(
            ENVIRONMENT, List.of(UNBOUNDED.queue(), other.queue()), LATER, 10))))
        .extracting(RunnableRunRef::runId)
        .containsExactly("run_released");
    ClaimedRuns named = done(storage
        .batch()
        .orElseThrow()
        .claimRuns(new ClaimRuns(
            ENVIRONMENT,
            List.of(UNBOUNDED, other),
            List.of(TASK),
            "worker",
            "tok_1",
            MINUTE,
            LATER,
            10,
            List.of("run_held", "run_other"))));
    assertThat(ids(named)).containsExactly("run_other");
    assertThat(named.mayHaveMore()).isTrue();
    execute(holder, "COMMIT");
    scene.audit();
  }

  @Test
  void deployments_that_disagree_each_keep_their_own_limit_and_the_count_stays_right() {
    PgStorageAdapter other = scene.start();
    for (int i = 0; i < 20; i++) {
      scene.store(TestRuns.queued("run_" + i).queue(bounded(2)), storage);
    }

    assertThat(Scene.claim(storage, List.of(bounded(2)), "tok_1", 20).runs()).hasSize(2);
    scene.audit();
    assertThat(Scene.claim(other, List.of(bounded(5)), "tok_2", 20).runs()).hasSize(3);
    scene.audit();
    assertThat(Scene.claim(storage, List.of(bounded(2)), "tok_3", 20).runs()).isEmpty();
    assertThat(Scene.claim(other, List.of(UNBOUNDED), "tok_4", 20).runs()).hasSize(15);
    scene.audit();
    assertThat(occupied()).isZero();
  }

  @Test
  void scans_see_a_queue_as_it_is_asked_for() {
    scene.store(TestRuns.retrying("run_1", NOON).queue(UNBOUNDED), storage);

    assertThat(done(storage.listRunsNeedingDispatch(
            new ListRunsNeedingDispatch(Scene.ENVIRONMENT, List.of(bounded(1)), LATER, 10))))
        .hasSize(1);
    assertThat(done(storage.listRunsNeedingDelivery(
            new ListRunsNeedingDelivery(Scene.ENVIRONMENT, List.of("changing"), LATER, 10))))
        .hasSize(1);
  }

  @Test
  void a_claim_by_name_under_the_other_policy_takes_and_frees_its_slot() {
    RunRecord created = scene.store(TestRuns.queued("run_1").queue(UNBOUNDED), storage);

    RunRecord leased =
        done(Scene.claimLease(storage, created, bounded(1))).orElseThrow().run();
    scene.audit();
    assertThat(occupied()).isEqualTo(1);
    done(Scene.succeed(storage, leased));

    scene.audit();
    assertThat(occupied()).isZero();
    assertThat(find(storage, "run_1").orElseThrow().status().isTerminal()).isTrue();
  }

  @Test
  void
      a_run_of_a_queue_without_a_limit_that_an_earlier_release_had_wait_for_a_reservation_is_found() {
    scene.store(TestRuns.queued("run_1").queue(UNBOUNDED), storage);
    done(PgStorageFixture.sql(
        scene.vertx(),
        "UPDATE %s.active_runs SET kind = 3, dispatched_at = due_at, dispatch_expires_at = due_at"
            .formatted(scene.schema())));

    assertThat(Scene.claim(storage, List.of(UNBOUNDED), "tok_1", 10).runs())
        .extracting(each -> each.run().id())
        .containsExactly("run_1");
  }

  @Test
  void
      a_run_whose_creation_began_before_its_queue_was_first_claimed_from_is_claimed_once_it_is_stored() {
    PgConnection late = scene.begin();
    createIn(late, "run_1", "run_2");
    assertThat(claim("tok_0", 10)).isEmpty();
    execute(late, "COMMIT");

    assertThat(claim("tok_1", 1)).hasSize(1);
    assertThat(claim("tok_2", 10)).hasSize(1);
    assertThat(occupied()).isEqualTo(2);
  }

  @Test
  void a_run_whose_creation_began_before_its_queue_got_a_limit_is_claimed_once_it_is_stored() {
    assertThat(Scene.claim(storage, List.of(UNBOUNDED), "tok_0", 10).runs()).isEmpty();
    PgConnection late = scene.begin();
    createIn(late, "run_1");
    assertThat(claim("tok_1", 10)).isEmpty();
    execute(late, "COMMIT");

    assertThat(claim("tok_2", 10)).containsExactly("run_1");
    assertThat(occupied()).isEqualTo(1);
  }

  @Test
  void a_late_run_beside_others_is_left_to_the_next_claim_which_is_asked_for() {
    PgConnection late = scene.begin();
    createIn(late, "run_late");
    scene.store(TestRuns.queued("run_first").queue(bounded(4)), storage);
    assertThat(claim("tok_0", 10)).containsExactly("run_first");
    scene.store(TestRuns.queued("run_early").queue(bounded(4)), storage);
    execute(late, "COMMIT");

    ClaimedRuns first = Scene.claim(storage, List.of(bounded(4)), "tok_1", 10);

    assertThat(ids(first)).containsExactly("run_early");
    assertThat(first.mayHaveMore()).isTrue();
    assertThat(claim("tok_2", 10)).containsExactly("run_late");
  }

  @Test
  void a_late_run_that_is_claimed_by_name_takes_a_slot_of_its_partition_if_there_is_one() {
    PgConnection late = scene.begin();
    List<RunRecord> runs = createIn(late, "run_1", "run_2");
    assertThat(claim("tok_0", 10)).isEmpty();
    execute(late, "COMMIT");

    assertThat(done(Scene.claimLease(storage, runs.get(0), bounded(1)))).isPresent();
    scene.audit();
    assertThat(occupied()).isEqualTo(1);
    assertThat(done(Scene.claimLease(storage, runs.get(1), bounded(1)))).isEmpty();
    assertThat(done(Scene.claimLease(storage, runs.get(1), bounded(2)))).isPresent();

    assertThat(occupied()).isEqualTo(2);
    assertThat(scene.number("SELECT count(*) FROM {schema}.active_runs WHERE partition IS NULL"))
        .isZero();
  }

  @Test
  void a_look_for_dispatch_finds_a_late_run() {
    PgConnection late = scene.begin();
    createIn(late, "run_1");
    assertThat(needingDispatch()).isEmpty();
    execute(late, "COMMIT");

    assertThat(needingDispatch()).extracting(RunnableRunRef::runId).containsExactly("run_1");
  }

  @Test
  void a_run_that_is_triggered_by_SQL_before_its_queue_is_first_claimed_from_is_no_exception() {
    done(storage.getRun(new GetRun(Scene.ENVIRONMENT, "run_1"))); // the environment is known
    PgConnection late = scene.begin();
    execute(
        late,
        "SELECT * FROM " + scene.schema() + ".trigger(task => '" + Scene.TASK
            + "', payload => '1', queue => 'changing', environment => 'conformance',"
            + " run_id => 'run_1')");
    assertThat(claimedLater("tok_0")).isEmpty();
    execute(late, "COMMIT");

    assertThat(claimedLater("tok_1")).containsExactly("run_1");
  }

  @Test
  void claims_that_meet_late_runs_at_the_same_time_share_the_work_and_the_runs() {
    PgConnection late = scene.begin();
    String[] runs = IntStream.range(0, 300).mapToObj(i -> "run_" + i).toArray(String[]::new);
    createIn(late, runs);
    assertThat(claim("tok_0", 10)).isEmpty();
    execute(late, "COMMIT");

    List<Future<ClaimedRuns>> claims = IntStream.range(0, 40)
        .mapToObj(i -> Scene.claiming(storage, List.of(bounded(300)), "tok_" + i, NOON, 10))
        .toList();
    List<String> claimed = new ArrayList<>();
    claims.forEach(each -> claimed.addAll(ids(done(each))));
    for (int i = 0; claimed.size() < 300; i++) {
      List<String> more = claim("tok_more_" + i, 300);
      assertThat(more).as("claimed beside %s", claimed.size()).isNotEmpty();
      claimed.addAll(more);
    }

    assertThat(claimed).containsExactlyInAnyOrder(runs);
    assertThat(occupied()).isEqualTo(300);
  }

  @Test
  void a_late_run_that_somebody_holds_delays_no_claim_and_fails_none() {
    PgConnection late = scene.begin();
    createIn(late, "run_held");
    assertThat(claim("tok_0", 10)).isEmpty();
    execute(late, "COMMIT");
    PgConnection holder = scene.begin();
    execute(holder, "SELECT 1 FROM " + scene.schema() + ".active_runs FOR UPDATE");

    scene.store(TestRuns.queued("run_free").queue(bounded(4)), storage);
    assertThat(claim("tok_1", 10)).containsExactly("run_free");
    assertThat(claim("tok_2", 10)).isEmpty();
    execute(holder, "COMMIT");

    Scene.until(() -> claim("tok_3", 10).contains("run_held"));
  }

  /** Runs that are created in somebody's transaction, which knows of no limit of their queue. */
  private List<RunRecord> createIn(PgConnection transaction, String... runIds) {
    StorageAdapter joined = storage.on(transaction);
    return Stream.of(runIds)
        .map(id -> done(TestRuns.queued(id).queue(bounded(1)).storeIn(joined)))
        .toList();
  }

  private List<String> claim(String token, int limit) {
    return ids(Scene.claim(storage, List.of(bounded(300)), token, limit));
  }

  private List<String> claimedLater(String token) {
    return ids(Scene.claimAt(storage, List.of(bounded(1)), token, Instant.now().plus(MINUTE), 10));
  }

  private static List<String> ids(ClaimedRuns claimed) {
    return claimed.runs().stream().map(each -> each.run().id()).toList();
  }

  private List<RunnableRunRef> needingDispatch() {
    return done(storage.listRunsNeedingDispatch(
        new ListRunsNeedingDispatch(Scene.ENVIRONMENT, List.of(bounded(1)), LATER, 10)));
  }

  private void storeEveryStatus(QueuePolicy policy) {
    Instant soon = NOON.plus(MINUTE);
    List<Supplier<TestRun>> statuses = List.of(
        () -> TestRuns.queued("run_queued"),
        () -> TestRuns.scheduled("run_scheduled", soon),
        () -> TestRuns.running("run_running", soon),
        () -> TestRuns.running("run_expired", NOON.plusSeconds(1)),
        () -> TestRuns.retrying("run_retrying", soon),
        () -> TestRuns.released("run_released", soon),
        () -> TestRuns.cancellationRequested("run_cancelling", soon),
        () -> TestRuns.succeeded("run_succeeded"),
        () -> TestRuns.failed("run_failed"),
        () -> TestRuns.cancelled("run_cancelled"));
    for (Supplier<TestRun> status : statuses) {
      scene.store(status.get().queue(policy), storage);
    }
    if (policy.isBounded()) {
      scene.store(TestRuns.reserved("run_reserved", soon).queue(policy), storage);
    }
  }

  private static QueuePolicy bounded(int limit) {
    return QueuePolicy.bounded("changing", limit);
  }

  private long occupied() {
    return scene.number("SELECT coalesce(sum(used), 0) FROM {schema}.queue_capacity");
  }
}
