package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static dev.runlane.storage.pg.Scene.find;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
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
