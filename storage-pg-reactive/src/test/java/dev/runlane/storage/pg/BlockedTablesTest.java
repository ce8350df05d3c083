package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.operator.throughput.Latencies.NONE;
import static dev.runlane.storage.pg.Scene.DEFAULT_QUEUE;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static dev.runlane.storage.pg.Scene.execute;
import static dev.runlane.storage.pg.Scene.find;
import static dev.runlane.storage.pg.Scene.unavailable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ListPendingSteps;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Somebody else's lock on a table delays commands; it neither hangs nor breaks them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class BlockedTablesTest {
  private static final QueuePolicy BOUNDED = QueuePolicy.bounded("new", 1);
  private static final QueuePolicy OTHER = QueuePolicy.bounded("other", 1);

  private final Scene scene = Scene.direct();
  private final PgStorageAdapter storage = scene.start();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_locked_table_makes_claims_unavailable_and_leaves_triggers_waiting() {
    scene.store(TestRuns.queued("run_1"), storage);
    assertThat(Scene.claim(storage, List.of(DEFAULT_QUEUE), "tok_0", 1).runs()).hasSize(1);
    scene.store(TestRuns.queued("run_2"), storage);
    PgConnection operator = scene.begin();
    execute(operator, "LOCK TABLE " + scene.schema() + ".run_events IN EXCLUSIVE MODE");

    Future<RunRecord> triggered = TestRuns.queued("run_3").storeIn(storage);
    unavailable(storage
        .batch()
        .orElseThrow()
        .claimRuns(new ClaimRuns(
            ENVIRONMENT,
            List.of(DEFAULT_QUEUE),
            List.of(Scene.TASK),
            "worker_1",
            "tok_1",
            MINUTE,
            NOON,
            10)));
    execute(operator, "COMMIT");

    done(triggered);
    assertThat(Scene.claim(storage, List.of(DEFAULT_QUEUE), "tok_2", 10).runs()).hasSize(2);
  }

  @Test
  void reads_wait_behind_a_table_that_is_locked_for_longer_than_a_statement_waits() {
    scene.store(TestRuns.queued("run_1"), storage);
    OperatorStore operatorStore = storage.operator().orElseThrow();
    done(storage.getRun(new GetRun(ENVIRONMENT, "run_1"))); // the environment is known
    PgConnection operator = scene.begin();
    for (String table : List.of("active_runs", "terminal_runs", "run_events", "operator_actions")) {
      execute(operator, "LOCK TABLE " + scene.schema() + "." + table + " IN ACCESS EXCLUSIVE MODE");
    }

    List<Future<?>> reads = List.of(
        storage.getRun(new GetRun(ENVIRONMENT, "run_1")),
        storage.listRuns(
            new ListRuns(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, null, null)),
        storage.listRunEvents(new ListRunEvents(
            ENVIRONMENT, RunEventFilter.ofRun("run_1"), RunEventSort.HISTORY, null, null)),
        storage.listRunnableRuns(
            new ListRunnableRuns(ENVIRONMENT, List.of(DEFAULT_QUEUE), List.of(), NOON, 10)),
        operatorStore.listActions(new ListActions(ENVIRONMENT, null, null)));
    done(scene.vertx().timer(300, TimeUnit.MILLISECONDS)); // six times the lock timeout
    assertThat(reads).noneMatch(Future::isComplete);
    execute(operator, "COMMIT");

    reads.forEach(read -> done(read));
  }

  @Test
  void
      what_is_no_read_waits_likewise_and_so_does_a_queue_that_is_claimed_from_for_the_first_time() {
    ThroughputBucket counted = new ThroughputBucket(
        NOON, "changing", Scene.TASK, 1, 0, 0, 0, 0, 0, 0, 0, NONE, NONE, NONE);
    AddThroughput added = new AddThroughput(ENVIRONMENT, List.of(counted));
    PgStorageAdapter hasty = scene.start(scene.options().setLockTimeout(Duration.ofMillis(5)));
    RunRecord run = scene.store(TestRuns.queued("run_1").queue(BOUNDED), hasty);
    scene.store(TestRuns.queued("run_2").queue(OTHER), hasty);
    PgConnection operator = scene.begin();
    for (String table : List.of(
        "queue_bindings",
        "throughput_minutes",
        "pending_steps",
        "schedule_occurrences",
        "schedules")) {
      execute(operator, "LOCK TABLE " + scene.schema() + "." + table + " IN ACCESS EXCLUSIVE MODE");
    }

    List<Future<?>> waiting = List.of(
        Scene.claimLease(hasty, run, BOUNDED),
        Scene.claiming(hasty, List.of(OTHER), "tok_1", NOON, 10),
        hasty.operator().orElseThrow().addThroughput(added),
        hasty.steps().orElseThrow().claimDueSteps(new ClaimDueSteps(ENVIRONMENT, NOON, MINUTE, 10)),
        hasty
            .steps()
            .orElseThrow()
            .listPendingSteps(new ListPendingSteps(ENVIRONMENT, "run_1", "run_1:0")),
        hasty
            .schedules()
            .orElseThrow()
            .registerSchedules(new RegisterSchedules(
                ENVIRONMENT,
                List.of(new RegisterSchedules.Definition(Scene.TASK, "nightly", "daily")),
                NOON,
                MINUTE)),
        hasty.claimScheduleOccurrence(
            new ClaimScheduleOccurrence(ENVIRONMENT, "nightly", "occ_1", NOON, NOON, MINUTE)));
    done(scene.vertx().timer(300, TimeUnit.MILLISECONDS)); // sixty times the lock timeout
    assertThat(waiting).noneMatch(Future::isComplete);
    execute(operator, "COMMIT");

    waiting.forEach(each -> done(each));
    assertThat(find(hasty, "run_1").orElseThrow().lease()).isNotNull();
    assertThat(find(hasty, "run_2").orElseThrow().lease()).isNotNull();
  }

  @Test
  void what_operators_see_and_are_told_waits_likewise() {
    PgStorageAdapter hasty = scene.start(scene.options().setLockTimeout(Duration.ofMillis(5)));
    OperatorStore operators = hasty.operator().orElseThrow();
    QueueLimitStorage limits = hasty.queueLimits().orElseThrow();
    RegisterWebhooks webhooks =
        new RegisterWebhooks(ENVIRONMENT, Map.of("hook", EndFilter.ALL), NOON);
    done(operators.registerWebhooks(webhooks)); // makes the trigger
    PgConnection operator = scene.begin();
    for (String table : List.of(
        "webhooks",
        "webhook_deliveries",
        "processes",
        "operator_documents",
        "alerts",
        "known_tasks",
        "pending_steps",
        "schedules",
        "schedule_occurrences",
        "run_tags",
        "active_runs")) {
      execute(operator, "LOCK TABLE " + scene.schema() + "." + table + " IN ACCESS EXCLUSIVE MODE");
    }

    List<Future<?>> waiting = List.of(
        operators.registerWebhooks(webhooks),
        operators.claimWebhookDeliveries(
            new ClaimWebhookDeliveries(ENVIRONMENT, List.of("hook"), "tok_1", NOON, MINUTE, 10)),
        limits.listPublishedQueues(new ListPublishedQueues(ENVIRONMENT, NOON)),
        operators.listDocuments(new ListDocuments(ENVIRONMENT, "alert_rule", null, null)),
        operators.listAlerts(new ListAlerts(ENVIRONMENT, null, null, null, null)),
        operators.listTasks(new ListTasks(ENVIRONMENT, null, null, null)),
        operators.listSteps(new ListSteps(ENVIRONMENT, null, null, null, null)),
        operators.listSchedules(new ListSchedules(ENVIRONMENT, null, null)),
        operators.findTags(new FindTags(ENVIRONMENT, List.of("run_1"))),
        hasty
            .schedules()
            .orElseThrow()
            .getScheduleOccurrence(new GetScheduleOccurrence(ENVIRONMENT, "occ_1")));
    done(scene.vertx().timer(300, TimeUnit.MILLISECONDS)); // sixty times the lock timeout
    assertThat(waiting).noneMatch(Future::isComplete);
    execute(operator, "COMMIT");

    waiting.forEach(each -> done(each));
  }

  @Test
  void an_environment_that_somebody_is_naming_right_now_is_waited_for() {
    PgConnection other = scene.begin();
    execute(
        other,
        "INSERT INTO " + scene.schema() + ".environments (environment_key) VALUES ('conformance')");

    Future<RunRecord> waiting = TestRuns.queued("run_1").storeIn(storage);
    execute(other, "ROLLBACK");

    done(waiting);
    assertThat(find(storage, "run_1")).isPresent();
  }

  @Test
  void an_environment_that_stays_blocked_is_unavailable_within_a_bound() {
    PgConnection other = scene.begin();
    execute(
        other,
        "INSERT INTO " + scene.schema() + ".environments (environment_key) VALUES ('conformance')");

    unavailable(storage.getRun(new GetRun(ENVIRONMENT, "run_1")));

    execute(other, "COMMIT");
    assertThat(find(storage, "run_1")).isEmpty();
  }
}
