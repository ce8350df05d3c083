package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.cause;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static dev.runlane.storage.pg.Scene.DEFAULT_QUEUE;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static dev.runlane.storage.pg.Scene.execute;
import static dev.runlane.storage.pg.Scene.find;
import static dev.runlane.storage.pg.Scene.unavailable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Transaction;
import io.vertx.sqlclient.TransactionRollbackException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run that is created in the caller's own transaction exists if and only if the caller commits. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class EnqueueInTransactionTest {
  private static final QueuePolicy BOUNDED = QueuePolicy.bounded("bounded", 2);
  private static final IdempotencyTtl HOUR = IdempotencyTtl.of(MINUTE.multipliedBy(60));
  private static final List<String> TABLES = List.of(
      "active_runs",
      "terminal_runs",
      "run_events",
      "outbox_messages",
      "idempotency_owners",
      "singleton_owners",
      "queue_capacity");

  private final Scene scene = Scene.open();
  private PgStorageAdapter storage;

  @BeforeEach
  void start() {
    storage = scene.start();
    done(PgStorageFixture.sql(
        scene.vertx(), "CREATE TABLE " + scene.schema() + ".orders (id integer PRIMARY KEY)"));
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_run_exists_once_its_transaction_commits_and_not_before() {
    PgConnection caller = scene.begin("search_path = ''");
    StorageAdapter joined = storage.on(caller);
    order(caller, 1);

    scene.store(keyed("run_1", "i", "s"), joined);

    assertThat(find(joined, "run_1")).isPresent();
    assertThat(find(storage, "run_1")).isEmpty();
    execute(caller, "COMMIT");
    assertThat(find(storage, "run_1")).isPresent();
    assertThat(scene.rows("orders")).isEqualTo(1);
    assertThat(scene.rows("outbox_messages")).isEqualTo(1);
    assertThat(done(storage.claimOutboxMessages(
            new ClaimOutboxMessages(ENVIRONMENT, NOON, MINUTE, 10, null))))
        .hasSize(1);
  }

  @Test
  void a_rollback_leaves_nothing() {
    PgConnection caller = scene.begin();
    StorageAdapter joined = storage.on(caller);
    order(caller, 1);
    scene.store(keyed("run_1", "i", "s").queue(BOUNDED).concurrencyKey("part"), joined);
    done(joined.appendRunEvents(
        TestRuns.queued("run_2").queue(BOUNDED).creationWithLease(lease("run_2"))));
    scene.store(TestRuns.succeeded("run_3"), joined);

    execute(caller, "ROLLBACK");

    for (String table : TABLES) {
      assertThat(scene.number("SELECT count(*) FROM {schema}." + table
              + (table.equals("queue_capacity") ? " WHERE used <> 0" : "")))
          .as(table)
          .isZero();
    }
    assertThat(scene.rows("orders")).isZero();
  }

  @Test
  void a_lost_idempotency_race_leaves_the_transaction_usable() {
    scene.store(keyed("run_owner", "i", null), storage);
    PgConnection caller = scene.begin();
    order(caller, 1);

    RunlaneException lost = failure(create(caller, keyed("run_1", "i", null)));

    assertThat(lost.isConflict(StorageConflictKind.IDEMPOTENCY_KEY)).isTrue();
    assertThat(lost.meta()).containsEntry(RunlaneException.OWNER_RUN_ID, "run_owner");
    order(caller, 2);
    done(create(caller, keyed("run_2", "another", null)));
    execute(caller, "COMMIT");
    assertThat(scene.rows("orders")).isEqualTo(2);
    assertThat(find(storage, "run_1")).isEmpty();
    assertThat(find(storage, "run_2")).isPresent();
  }

  @Test
  void a_creation_that_wins_one_key_and_loses_the_other_keeps_neither() {
    scene.store(keyed("run_owner", null, "s"), storage);
    PgConnection caller = scene.begin();

    RunlaneException lost = failure(create(caller, keyed("run_1", "i", "s")));

    assertThat(lost.isConflict(StorageConflictKind.SINGLETON_KEY)).isTrue();
    done(create(caller, keyed("run_2", "i", null)));
    execute(caller, "COMMIT");
    assertThat(scene.rows("idempotency_owners")).isEqualTo(1);
    assertThat(scene.rows("active_runs")).isEqualTo(2);
  }

  @Test
  void a_creation_that_loses_one_key_while_it_waits_goes_back_to_before_the_other() {
    PgConnection first = scene.begin();
    PgConnection second = scene.begin();
    done(create(first, keyed("run_1", null, "s")));
    order(second, 1);

    Future<AppendedRun> waiting = create(second, keyed("run_2", "i", "s"));
    awaitBlocked(1);
    execute(first, "COMMIT");

    assertThat(failure(waiting).isConflict(StorageConflictKind.SINGLETON_KEY)).isTrue();
    order(second, 2);
    execute(second, "COMMIT");
    assertThat(scene.rows("orders")).isEqualTo(2);
    assertThat(scene.rows("idempotency_owners")).isZero();
    assertThat(scene.rows("active_runs")).isEqualTo(1);
  }

  @Test
  void
      a_creation_that_Postgres_rolls_back_fails_in_a_transaction_of_the_driver_which_is_lost_with_it() {
    PgConnection first = scene.begin();
    PgConnection second = scene.connect();
    Transaction transaction = done(second.begin());
    done(create(first, keyed("run_1", null, "s")));
    order(second, 1);

    Future<AppendedRun> waiting = create(second, keyed("run_2", "i", "s"));
    awaitBlocked(1);
    execute(first, "COMMIT");

    RunlaneException failure = failure(waiting);
    assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failure.isRetryable()).isTrue();
    assertThat(cause(transaction.commit())).isInstanceOf(TransactionRollbackException.class);
    assertThat(scene.rows("orders")).isZero();
    assertThat(scene.rows("idempotency_owners")).isZero();
    assertThat(scene.rows("active_runs")).isEqualTo(1);
  }

  @Test
  void of_two_callers_with_one_key_the_second_waits_and_loses_once_the_first_commits() {
    PgConnection first = scene.begin();
    PgConnection second = scene.begin();
    done(create(first, keyed("run_1", "i", null)));

    Future<AppendedRun> waiting = create(second, keyed("run_2", "i", null));
    awaitBlocked(1);
    assertThat(waiting.isComplete()).isFalse();
    execute(first, "COMMIT");

    RunlaneException lost = failure(waiting);
    assertThat(lost.isConflict(StorageConflictKind.IDEMPOTENCY_KEY)).isTrue();
    assertThat(lost.meta()).containsEntry(RunlaneException.OWNER_RUN_ID, "run_1");
    execute(second, "COMMIT");
    assertThat(scene.rows("active_runs")).isEqualTo(1);
  }

  @Test
  void of_two_callers_with_one_key_the_second_wins_once_the_first_rolls_back() {
    PgConnection first = scene.begin();
    PgConnection second = scene.begin();
    done(create(first, keyed("run_1", "i", "s")));

    Future<AppendedRun> waiting = create(second, keyed("run_2", "i", "s"));
    awaitBlocked(1);
    execute(first, "ROLLBACK");

    done(waiting);
    execute(second, "COMMIT");
    assertThat(find(storage, "run_2")).isPresent();
    assertThat(scene.rows("active_runs")).isEqualTo(1);
  }

  @Test
  void a_lock_timeout_of_the_caller_is_unavailability_and_leaves_the_transaction_usable() {
    assertUsableAfterTimeout("lock_timeout", "20ms");
  }

  @Test
  void a_statement_timeout_of_the_caller_is_unavailability_and_leaves_the_transaction_usable() {
    assertUsableAfterTimeout("statement_timeout", "1s");
  }

  private void assertUsableAfterTimeout(String setting, String timeout) {
    PgConnection first = scene.begin();
    PgConnection second = scene.begin();
    done(create(first, keyed("run_1", "i", null)));
    order(second, 1);
    execute(second, "SET " + setting + " = '" + timeout + "'");

    unavailable(create(second, keyed("run_2", "i", null)));

    execute(second, "SET " + setting + " = 0");
    order(second, 2);
    done(create(second, keyed("run_3", "another", null)));
    execute(second, "COMMIT");
    execute(first, "COMMIT");
    assertThat(scene.rows("orders")).isEqualTo(2);
    assertThat(scene.rows("active_runs")).isEqualTo(2);
  }

  /** The transaction cannot see who owns the key: begun anew, it can. */
  @ParameterizedTest
  @ValueSource(strings = {"repeatable read", "serializable"})
  void
      a_transaction_of_stricter_isolation_creates_runs_and_is_to_be_begun_anew_where_it_lost_a_race(
          String isolation) {
    String strict = "default_transaction_isolation = '" + isolation + "'";
    PgConnection caller = scene.begin(strict);
    order(caller, 1);
    done(create(caller, keyed("run_1", "i", "s")));
    scene.store(keyed("run_owner", "raced", null), storage);

    unavailable(create(caller, keyed("run_2", "raced", null)));

    execute(caller, "COMMIT");
    assertThat(find(storage, "run_1")).isPresent();
    assertThat(find(storage, "run_2")).isEmpty();
    PgConnection again = scene.begin(strict);
    order(again, 2);
    RunlaneException lost = failure(create(again, keyed("run_2", "raced", null)));
    execute(again, "COMMIT");
    assertThat(lost.meta()).containsEntry(RunlaneException.OWNER_RUN_ID, "run_owner");
    assertThat(scene.rows("orders")).isEqualTo(2);
  }

  @Test
  void callers_that_take_two_keys_crosswise_both_keep_their_transactions() {
    PgConnection first = scene.begin("deadlock_timeout = '20ms'");
    PgConnection second = scene.begin("deadlock_timeout = '20ms'");
    done(create(first, keyed("run_1", "a", null)));
    done(create(second, keyed("run_2", "b", null)));

    Future<AppendedRun> one = create(first, keyed("run_3", "b", null));
    Future<AppendedRun> other = create(second, keyed("run_4", "a", null));
    Future<AppendedRun> victim = done(Future.any(
            one.map(never -> one).recover(failed -> Future.succeededFuture(one)),
            other.map(never -> other).recover(failed -> Future.succeededFuture(other)))
        .map(ended -> one.isComplete() ? one : other));

    unavailable(victim);
    PgConnection loser = victim == one ? first : second;
    order(loser, 1);
    execute(loser, "COMMIT");
    assertThat(failure(victim == one ? other : one).isConflict(StorageConflictKind.IDEMPOTENCY_KEY))
        .isTrue();
    execute(victim == one ? second : first, "COMMIT");
    assertThat(scene.rows("active_runs")).isEqualTo(2);
  }

  /** The transaction stays open to the end: whoever waited for it would fail. */
  @Test
  void an_open_transaction_keeps_neither_claims_nor_other_triggers() {
    PgConnection caller = scene.begin();
    RunRecord waiting =
        create(storage, TestRuns.queued("run_waiting").queue(BOUNDED).concurrencyKey("p"));
    create(storage.on(caller), keyed("run_open", "i", "s").queue(BOUNDED).concurrencyKey("p"));
    create(storage.on(caller), TestRuns.queued("run_new").queue(BOUNDED).concurrencyKey("new"));

    assertThat(Scene.claim(storage, List.of(BOUNDED), "tok_1", 10).runs()).hasSize(1);
    for (String partition : List.of("p", "new")) {
      RunRecord more = create(
          storage,
          keyed("run_after_" + partition, partition, partition)
              .queue(BOUNDED)
              .concurrencyKey(partition));
      RunRecord leased =
          done(Scene.claimLease(storage, more, BOUNDED)).orElseThrow().run();
      done(Scene.succeed(storage, leased));
    }
    scene.audit();
    done(Scene.succeed(storage, find(storage, waiting.id()).orElseThrow()));

    execute(caller, "COMMIT");
    assertThat(Scene.claim(storage, List.of(BOUNDED), "tok_2", 10).runs()).hasSize(2);
  }

  @Test
  void a_trigger_whose_key_is_taken_in_an_open_transaction_waits_alone() {
    PgConnection caller = scene.begin();
    done(create(caller, keyed("run_open", "i", null)));

    Future<AppendedRun> blocked =
        storage.appendRunEvents(keyed("run_1", "i", null).creation());
    Future<AppendedRun> blockedToo =
        storage.appendRunEvents(keyed("run_2", null, "s").creation());
    for (int i = 0; i < 10; i++) { // in far less time than the blocked one has
      scene.store(keyed("run_free_" + i, "free_" + i, null), storage);
      scene.store(TestRuns.queued("run_plain_" + i), storage);
    }

    done(blockedToo);
    assertThat(blocked.isComplete()).isFalse();
    execute(caller, "COMMIT");
    assertThat(failure(blocked).isConflict(StorageConflictKind.IDEMPOTENCY_KEY)).isTrue();
  }

  @Test
  void a_trigger_whose_key_stays_taken_is_unavailable_within_a_bound() {
    PgConnection caller = scene.begin();
    done(create(caller, keyed("run_open", "i", null)));

    unavailable(storage.appendRunEvents(keyed("run_1", "i", null).creation()));

    execute(caller, "ROLLBACK");
    scene.store(keyed("run_1", "i", null), storage);
  }

  @Test
  void a_run_that_exists_is_a_lost_race_in_a_transaction_too() {
    scene.store(TestRuns.queued("run_1"), storage);
    PgConnection caller = scene.begin();

    RunlaneException lost = failure(create(caller, TestRuns.queued("run_1")));

    assertThat(lost.isConflict(StorageConflictKind.EVENT_SEQUENCE)).isTrue();
    order(caller, 1);
    execute(caller, "COMMIT");
  }

  @Test
  void a_tagged_run_whose_id_another_transaction_takes_meanwhile_is_a_lost_race() {
    PgConnection first = scene.begin();
    done(create(first, TestRuns.queued("run_1")));
    PgConnection caller = scene.begin();
    order(caller, 1);

    Future<AppendedRun> second =
        create(caller, TestRuns.queued("run_1").tags(Map.of("customer", "7")));
    awaitBlocked(1);
    execute(first, "COMMIT");

    RunlaneException lost = failure(second);
    assertThat(lost.isConflict(StorageConflictKind.EVENT_SEQUENCE)).isTrue();
    order(caller, 2);
    execute(caller, "COMMIT");
  }

  @Test
  void a_run_can_be_claimed_and_ended_in_the_callers_transaction() {
    scene.store(TestRuns.queued("run_1"), storage);
    PgConnection caller = scene.begin();
    StorageAdapter joined = storage.on(caller);

    RunRecord leased = done(Scene.claimLease(
            joined, find(joined, "run_1").orElseThrow(), DEFAULT_QUEUE))
        .orElseThrow()
        .run();
    done(Scene.succeed(joined, leased));

    assertThat(find(storage, "run_1").orElseThrow().status().isTerminal()).isFalse();
    execute(caller, "COMMIT");
    assertThat(find(storage, "run_1").orElseThrow().status().isTerminal()).isTrue();
  }

  @Test
  void a_cancellation_is_requested_and_conflicts_are_told_in_the_callers_transaction() {
    RunRecord running = scene.store(TestRuns.running("run_1", NOON.plus(MINUTE)), storage);
    PgConnection caller = scene.begin();
    StorageAdapter joined = storage.on(caller);

    RunRecord cancelling = done(Scene.append(
            joined,
            running,
            new RunEvent.CancellationRequested(
                EventHeader.bySystem(ENVIRONMENT, "run_1", NOON), null)))
        .run();

    assertThat(
            failure(Scene.succeed(joined, running)).isConflict(StorageConflictKind.EVENT_SEQUENCE))
        .isTrue();
    assertThat(done(
            Scene.claimLease(joined, scene.store(TestRuns.queued("run_2"), joined), DEFAULT_QUEUE)))
        .isPresent();
    execute(caller, "COMMIT");
    assertThat(find(storage, "run_1")).contains(cancelling);
  }

  @Test
  void a_key_whose_retention_ends_with_its_run_is_free_again_in_a_transaction() {
    scene.store(TestRuns.succeeded("run_1").idempotencyKey("i", IdempotencyTtl.ACTIVE), storage);
    PgConnection caller = scene.begin();

    done(create(caller, keyed("run_2", "i", null)));

    execute(caller, "COMMIT");
    assertThat(find(storage, "run_2")).isPresent();
  }

  @Test
  void what_joins_a_transaction_neither_starts_nor_gathers_nor_closes_anything() {
    StorageAdapter joined = storage.on(scene.begin());

    done(joined.start());
    done(joined.close());

    assertThat(joined.batch()).isEmpty();
    assertThat(joined.cancellations()).isEmpty();
    assertThat(joined.capabilities()).isEqualTo(storage.capabilities());
    assertThat(find(storage, "run_1")).isEmpty();
  }

  private static TestRun keyed(String id, String idempotencyKey, String singletonKey) {
    TestRun run = TestRuns.queued(id);
    run = idempotencyKey == null ? run : run.idempotencyKey(idempotencyKey, HOUR);
    return singletonKey == null ? run : run.singletonKey(singletonKey);
  }

  private static Lease lease(String runId) {
    return new Lease("tok_" + runId, "worker_1", NOON.plus(MINUTE));
  }

  private Future<AppendedRun> create(PgConnection caller, TestRun run) {
    return storage.on(caller).appendRunEvents(run.creation());
  }

  /** As a runtime creates runs of bounded queues: the command says so. */
  private static RunRecord create(StorageAdapter storage, TestRun run) {
    return done(storage.appendRunEvents(run.creation().in(BOUNDED))).run();
  }

  private void order(PgConnection caller, int id) {
    execute(caller, "INSERT INTO " + scene.schema() + ".orders VALUES (" + id + ")");
  }

  /** Returns once so many statements of this database wait for somebody's lock. */
  private void awaitBlocked(int statements) {
    Scene.until(() -> scene.number("SELECT count(*) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
        >= statements);
  }
}
