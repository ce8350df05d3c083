package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static dev.runlane.storage.pg.Scene.execute;
import static dev.runlane.storage.pg.Scene.find;
import static dev.runlane.storage.pg.Scene.unavailable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.EventHeader;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Runs that are leased or ended in the very command that creates them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class FirstLeaseTest {
  private static final QueuePolicy ONE = QueuePolicy.bounded("bounded", 1);
  private static final IdempotencyTtl HOUR = IdempotencyTtl.of(MINUTE.multipliedBy(60));

  private final Scene scene = Scene.direct();
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
  void processes_that_run_at_once_on_one_slot_never_exceed_it_and_the_losers_leave_nothing() {
    PgStorageAdapter other = scene.start();
    List<Future<AppendedRun>> attempts = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      attempts.add(
          createLeased(i % 2 == 0 ? storage : other, TestRuns.queued("run_" + i).queue(ONE)));
    }
    attempts.forEach(attempt -> done(attempt.transform((won, lost) -> Future.succeededFuture())));

    long won = attempts.stream().filter(Future::succeeded).count();
    assertThat(won).isLessThanOrEqualTo(1);
    assertThat(attempts.stream().filter(Future::failed))
        .allSatisfy(lost -> assertThat(failure(lost).isConflict(StorageConflictKind.QUEUE_CAPACITY))
            .isTrue());
    assertThat(scene.rows("active_runs")).isEqualTo(won);
    scene.audit();
  }

  @Test
  void a_partition_that_somebody_is_changing_is_waited_for_and_not_taken_for_full() {
    QueuePolicy two = QueuePolicy.bounded("bounded", 2);
    RunRecord ending =
        done(createLeased(storage, TestRuns.queued("run_1").queue(two))).run();
    done(createLeased(storage, TestRuns.queued("run_2").queue(two)));
    PgConnection caller = scene.begin();
    done(Scene.succeed(storage.on(caller), ending));

    Future<AppendedRun> waiting = createLeased(storage, TestRuns.queued("run_3").queue(two));
    execute(caller, "COMMIT");

    assertThat(done(waiting).run().status()).isEqualTo(RunStatus.RUNNING);
    assertThat(failure(createLeased(storage, TestRuns.queued("run_4").queue(two)))
            .isConflict(StorageConflictKind.QUEUE_CAPACITY))
        .isTrue();
    scene.audit();
  }

  @Test
  void a_partition_that_stays_locked_is_unavailable_within_a_bound() {
    RunRecord ending =
        done(createLeased(storage, TestRuns.queued("run_1").queue(ONE))).run();
    PgConnection caller = scene.begin();
    done(Scene.succeed(storage.on(caller), ending));

    unavailable(createLeased(storage, TestRuns.queued("run_2").queue(ONE)));

    execute(caller, "ROLLBACK");
    assertThat(find(storage, "run_2")).isEmpty();
  }

  @Test
  void a_full_queue_leaves_nothing_in_the_callers_transaction() {
    done(createLeased(storage, TestRuns.queued("run_1").queue(ONE)));
    PgConnection caller = scene.begin();

    assertThat(failure(createLeased(storage.on(caller), keyed("run_2").queue(ONE)))
            .isConflict(StorageConflictKind.QUEUE_CAPACITY))
        .isTrue();
    done(storage.on(caller).appendRunEvents(TestRuns.queued("run_3").creation()));
    execute(caller, "COMMIT");

    assertThat(find(storage, "run_2")).isEmpty();
    assertThat(find(storage, "run_3")).isPresent();
    done(createLeased(storage, keyed("run_4")));
  }

  @Test
  void a_slot_that_an_expired_reservation_still_holds_is_taken() {
    scene.store(TestRuns.reserved("run_reserved", NOON.plusSeconds(1)).queue(ONE), storage);

    AppendRunEvents command = TestRuns.queued("run_1")
        .queue(ONE)
        .at(NOON.plus(MINUTE))
        .creationWithLease(new Lease("tok_1", "worker_1", NOON.plus(MINUTE.multipliedBy(2))));

    assertThat(done(storage.appendRunEvents(command)).run().status()).isEqualTo(RunStatus.RUNNING);
    scene.audit();
  }

  @Test
  void a_key_with_an_owner_is_a_lost_race_that_leaves_the_slot_free() {
    scene.store(keyed("run_owner"), storage);

    RunlaneException lost = failure(createLeased(storage, keyed("run_1").queue(ONE)));

    assertThat(lost.isConflict(StorageConflictKind.IDEMPOTENCY_KEY)).isTrue();
    done(createLeased(storage, TestRuns.queued("run_2").queue(ONE)));
  }

  @Test
  void a_key_that_an_open_transaction_has_taken_is_waited_for() {
    PgConnection caller = scene.begin();
    done(storage.on(caller).appendRunEvents(keyed("run_open").creation()));

    Future<AppendedRun> waiting = createLeased(storage, keyed("run_1"));
    execute(caller, "ROLLBACK");

    assertThat(done(waiting).run().status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void a_key_that_stays_taken_is_unavailable_within_a_bound() {
    PgConnection caller = scene.begin();
    done(storage.on(caller).appendRunEvents(keyed("run_open").creation()));

    unavailable(createLeased(storage, keyed("run_1")));

    execute(caller, "COMMIT");
    assertThat(failure(createLeased(storage, keyed("run_1")))
            .isConflict(StorageConflictKind.IDEMPOTENCY_KEY))
        .isTrue();
  }

  @Test
  void a_run_may_end_in_the_command_that_creates_it() {
    done(storage.appendRunEvents(createdAndCancelled("run_1")));
    PgConnection caller = scene.begin();
    done(storage.on(caller).appendRunEvents(createdAndCancelled("run_2")));
    execute(caller, "COMMIT");

    assertThat(find(storage, "run_1").orElseThrow().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(find(storage, "run_2").orElseThrow().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(scene.rows("active_runs")).isZero();
    assertThat(failure(storage.appendRunEvents(createdAndCancelled("run_1")))
            .isConflict(StorageConflictKind.EVENT_SEQUENCE))
        .isTrue();
  }

  @Test
  void a_run_may_be_created_with_its_reservation() {
    AppendRunEvents creation = TestRuns.queued("run_1").queue(ONE).creation();
    List<RunEvent> events = new ArrayList<>(creation.events());
    events.add(new RunEvent.DeliveryRequested(
        EventHeader.bySystem(ENVIRONMENT, "run_1", NOON),
        new DeliveryIntent(
            ENVIRONMENT, "run_1", ONE.queue(), NOON, NOON, NOON.plus(MINUTE), null)));
    AppendRunEvents reserved = AppendRunEvents.of(
            RunReducer.projectRunEvents(null, 0, events), events, NOON)
        .in(ONE);

    RunRecord stored = done(storage.appendRunEvents(reserved)).run();

    assertThat(find(storage, "run_1")).contains(stored);
    scene.audit();
  }

  private static AppendRunEvents createdAndCancelled(String runId) {
    AppendRunEvents creation = TestRuns.queued(runId).creation();
    List<RunEvent> events = new ArrayList<>(creation.events());
    events.add(new RunEvent.Cancelled(EventHeader.bySystem(ENVIRONMENT, runId, NOON), null));
    return AppendRunEvents.of(RunReducer.projectRunEvents(null, 0, events), events, NOON);
  }

  private static TestRun keyed(String runId) {
    return TestRuns.queued(runId).idempotencyKey("i", HOUR).singletonKey("s");
  }

  private static Future<AppendedRun> createLeased(StorageAdapter storage, TestRun run) {
    String token = "tok_" + run.creation().runId();
    return storage.appendRunEvents(
        run.creationWithLease(new Lease(token, "worker_1", NOON.plus(MINUTE))));
  }
}
