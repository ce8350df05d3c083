package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.testinfra.process.TcpLine;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.WakeupListener;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

/**
 * Postgres keeps its sockets open and says nothing: an outage like any other, for as long as it lasts.
 * The tests wait for deadlines, so they do it together, but not beside other classes: each has a line, a schema and
 * adapters of its own.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SilenceTest {
  private static final Duration DEADLINE = Duration.ofSeconds(2);
  private static final Duration LONG_DEADLINE =
      PgStorageOptions.DEFAULT_STATEMENT_TIMEOUT.plusMinutes(10);

  private final PgConnectOptions direct = PgStorageFixture.directOptions();
  private final TcpLine line = new TcpLine(direct.getHost(), direct.getPort());
  private final Scene scene = Scene.on(PgStorageFixture.newSchema()
      .setPoolOptions(new PoolOptions().setMaxSize(4))
      .setStatementDeadline(DEADLINE)
      .setCloseTimeout(Duration.ofMillis(300)));
  /** Over the line. */
  private PgStorageAdapter start(Duration deadline) {
    return scene.start(
        scene.options().setConnectOptions(overLine()).setStatementDeadline(deadline));
  }

  @AfterEach
  void close() {
    line.speak();
    scene.close();
    line.close();
  }

  @Execution(CONCURRENT)
  @Test
  void every_kind_of_command_ends_and_works_again_after_it() {
    PgStorageAdapter storage = start(DEADLINE);
    RunRecord before = Scene.storeInTheEnd("run_before", TestRuns::queued, storage);
    line.silence();

    Scene.everyKindOfCommand(storage, before, "nobody.has").forEach(Scene::unavailable);
    List<Future<RunRecord>> many = IntStream.range(0, 1_000)
        .mapToObj(i -> TestRuns.queued("run_many_" + i).storeIn(storage))
        .toList();
    many.forEach(Scene::unavailable);

    line.speak();
    Scene.storeInTheEnd("run_after", TestRuns::succeeded, storage);
    assertThat(Scene.inTheEnd(() -> storage.getRun(new GetRun(Scene.ENVIRONMENT, before.id()))))
        .contains(before);
    Scene.everyKindOfCommand(storage, before, "nobody.has")
        .forEach(each -> done(each.otherwiseEmpty()));
  }

  @Execution(CONCURRENT)
  @Test
  void a_large_call_sends_nothing_behind_the_part_that_met_the_silence() {
    PgStorageAdapter storage =
        scene.start(scene.options().setConnectOptions(overLine()).setMaxPending(2));
    Scene.storeInTheEnd("run_before", TestRuns::queued, storage);
    List<AppendRunEvents> creations = IntStream.range(0, 20)
        .mapToObj(i -> TestRuns.queued("run_many_" + i).creation())
        .toList();
    line.silence();

    List<CommandOutcome<AppendedRun>> unsent =
        done(storage.batch().orElseThrow().appendAll(creations));

    Set<RunlaneException> failures = Collections.newSetFromMap(new IdentityHashMap<>());
    unsent.forEach(
        outcome -> failures.add(((CommandOutcome.Failed<AppendedRun>) outcome).failure()));
    assertThat(unsent).hasSize(20);
    assertThat(failures)
        .as("those of the first two")
        .hasSizeBetween(1, 2)
        .allMatch(failure -> failure.code() == ErrorCode.STORAGE_UNAVAILABLE);
    line.speak();
    assertThat(Scene.inTheEnd(() -> storage.getRun(new GetRun(Scene.ENVIRONMENT, "run_many_2"))))
        .isEmpty();
  }

  @Execution(CONCURRENT)
  @Test
  void closing_in_the_silence_ends_and_what_is_pending_fails_as_closed() {
    PgStorageAdapter storage = start(LONG_DEADLINE); // none that ends before it is closed
    scene.store(TestRuns.queued("run_before"), storage);
    Scene.inTheEnd(() -> storage.notifyTransport().subscribe(Scene.ENVIRONMENT, new Losses()));
    line.silence();
    List<Future<RunRecord>> pending = IntStream.range(0, 300)
        .mapToObj(i -> TestRuns.queued("run_many_" + i).storeIn(storage))
        .toList();

    done(storage.close());

    pending.forEach(SilenceTest::closed);
    closed(storage.getRun(new GetRun(Scene.ENVIRONMENT, "run_before")));
    closed(TestRuns.queued("run_late").storeIn(storage));
    closed(storage.notifyTransport().subscribe(Scene.ENVIRONMENT, new Losses()));
  }

  @Execution(CONCURRENT)
  @Test
  void a_silent_listen_connection_is_made_anew_and_subscribers_are_told() {
    PgStorageAdapter storage = start(LONG_DEADLINE);
    Losses losses = new Losses();
    Scene.inTheEnd(() -> storage.notifyTransport().subscribe(Scene.ENVIRONMENT, losses));
    String listening = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        + " AND (query LIKE 'LISTEN%' OR query = 'SELECT 1') AND client_port = ";

    line.silence(farPort -> scene.number(listening + farPort) > 0);

    done(losses.told.future());
    scene.store(TestRuns.queued("run_meanwhile"), storage);
  }

  /** Nobody here waits for the 35 s that a statement has without a lease. */
  @Execution(CONCURRENT)
  @Test
  void a_process_that_asks_for_leases_waits_no_longer_than_they_allow() {
    PgStorageAdapter leasing = start(LONG_DEADLINE);
    RunRecord run = scene.store(TestRuns.queued("run_1"), leasing);
    Scene.inTheEnd(() -> leasing
        .batch()
        .orElseThrow()
        .claimRuns(new ClaimRuns(
            Scene.ENVIRONMENT,
            List.of(Scene.DEFAULT_QUEUE),
            List.of("nobody.has"),
            "worker_1",
            "tok",
            Duration.ofSeconds(6),
            Scene.NOON,
            10)));
    line.silence();

    Scene.unavailable(
        leasing // asked before each claim
            .operator()
            .orElseThrow()
            .listPausedQueues(new ListPausedQueues(Scene.ENVIRONMENT)));
    Scene.unavailable(leasing.listRunsNeedingDelivery(new ListRunsNeedingDelivery(
        Scene.ENVIRONMENT, List.of(Scene.DEFAULT_QUEUE.queue()), Scene.NOON, 10)));
    Scene.unavailable(Scene.claimLease(leasing, run, Scene.DEFAULT_QUEUE));
    Scene.unavailable(TestRuns.queued("run_2").storeIn(leasing));
    line.speak();
    Scene.storeInTheEnd("run_after", TestRuns::queued, leasing);
  }

  @Execution(CONCURRENT)
  @Test
  void a_callers_own_transaction_fails_at_the_deadline_and_stays_the_callers() {
    PgStorageAdapter storage = start(DEADLINE);
    Scene.storeInTheEnd("run_before", TestRuns::queued, storage);
    PgConnection own = done(PgConnection.connect(scene.vertx(), overLine()));
    done(own.begin());
    line.silence();

    Promise<Context> failedOn = Promise.promise();
    Context caller = scene.vertx().getOrCreateContext();
    caller.runOnContext(turn -> TestRuns.queued("run_joined")
        .storeIn(storage.on(own))
        .onFailure(failure -> failedOn.complete(Vertx.currentContext())));
    Scene.unavailable(TestRuns.queued("run_joined_too").storeIn(storage.on(own)));
    assertThat(done(failedOn.future())).isSameAs(caller);

    line.close(); // the caller gives it up: his connection is not ours to close
    done(own.close().otherwiseEmpty());
  }

  private PgConnectOptions overLine() {
    return new PgConnectOptions(direct).setHost("127.0.0.1").setPort(line.port());
  }

  private static void closed(Future<?> future) {
    RunlaneException failure = failure(future);
    assertThat(failure.code())
        .as("of %s", failure.getMessage())
        .isEqualTo(ErrorCode.OPERATION_CANCELLED);
    assertThat(failure.isRetryable()).isFalse();
  }

  private static final class Losses implements WakeupListener {
    private final Promise<Void> told = Promise.promise();

    @Override
    public void onWakeups(List<DeliveryMessage> messages) {}

    @Override
    public void onPossibleLoss() {
      told.tryComplete();
    }
  }
}
