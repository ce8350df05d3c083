package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.StepScene.done;
import static dev.runlane.steps.sql.StepScene.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.StepTaskState;
import dev.runlane.steps.task.WithdrawSteps;
import dev.runlane.testinfra.process.TcpLine;
import dev.runlane.timing.Clock;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What holds of the tables on whatever database, beside the contract. */
@DisplayNameGeneration(ReplaceUnderscores.class)
public abstract class StepTablesCases {
  public static final Duration LEASE = Duration.ofSeconds(30);

  public final StepScene scene;
  public final Instant now = Clock.system().now();

  public StepTablesCases(Function<Vertx, SqlStepFixture> fixture) {
    scene = new StepScene(fixture);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void every_error_column_that_others_write_is_read() {
    assertThat(error(null).mayBeRetried()).isTrue();
    assertThat(error("{\"message\":\"m\",\"code\":null,\"retryable\":false}"))
        .isEqualTo(new StepError("m", null, false, null));
    assertThat(error("{\"message\":\"m\",\"code\":7,\"retryable\":\"no\",\"new\":[1]}"))
        .isEqualTo(new StepError("m", null, null, null));
    assertThat(error("{}").mayBeRetried()).isTrue();
    assertThat(error("null")).isEqualTo(error(null));
    for (String unreadable : List.of("{", "\"boom\"", "[]", "7", "", "NaN")) {
      assertThat(error(unreadable).code()).isEqualTo(StepResult.UNREADABLE);
      assertThat(error(unreadable).mayBeRetried()).isFalse();
    }
  }

  private StepError error(String column) {
    scene.sql("DELETE FROM " + scene.tables.results());
    done(scene.tables.putFailure(
        new StepResult("run_1:0", "run_1", 0, new StepOutcome.Completed(null), now, now), column));
    StepOutcome outcome = done(scene.transport.claimStepResults(
            new ClaimStepResults(List.of("run_1:0"), "engine", now, LEASE)))
        .get(0)
        .result()
        .outcome();
    return ((StepOutcome.Failed) outcome).error();
  }

  @Test
  void a_result_too_long_for_memory_is_unreadable_and_keeps_no_other_back() {
    for (String column : List.of("output", "error")) {
      scene.sql("DELETE FROM " + scene.tables.results());
      scene.sql("INSERT INTO " + scene.tables.results() + " (step_id, run_id, seq, status, "
          + column
          + ", created_at) VALUES ('run_1:0', 'run_1', 0, 'completed',"
          + " concat('\"', repeat('a', 15999999), '\"'), "
          + now.toEpochMilli()
          + "), ('run_2:0', 'run_2', 0, 'completed', NULL, "
          + now.toEpochMilli()
          + ")");

      List<StepOutcome> outcomes = done(scene.transport.claimStepResults(
              new ClaimStepResults(List.of("run_1:0", "run_2:0"), "engine", now, LEASE)))
          .stream()
          .sorted(Comparator.comparing(each -> each.claim().stepId()))
          .map(each -> each.result().outcome())
          .toList();

      StepError error = ((StepOutcome.Failed) outcomes.get(0)).error();
      assertThat(error.code()).isEqualTo(StepResult.UNREADABLE);
      assertThat(error.message()).contains("16000001 bytes");
      assertThat(error.mayBeRetried()).isFalse();
      assertThat(outcomes.get(1)).isEqualTo(new StepOutcome.Completed(null));
    }
  }

  @Test
  void an_input_too_long_for_memory_is_unreadable_and_keeps_no_other_back() {
    StepTask longest = step("run_2", null);
    done(scene.transport.dispatchStep(step("run_1", null), now));
    done(scene.transport.dispatchStep(longest, now.plusMillis(1)));
    inputOfBytes("run_1:0", 16_000_001);
    inputOfBytes("run_2:0", 16_000_000);

    List<ClaimedStepTask> claimed = done(scene.transport.claimStepTasks(
        new ClaimStepTasks(List.of(longest.group()), "worker", now.plusMillis(2), LEASE, 10)));

    assertThat(claimed.get(0).task().stepId()).isEqualTo("run_1:0");
    assertThat(claimed.get(0).inputFault()).contains("16000001 bytes");
    assertThat(claimed.get(0).task().input()).isNull();
    assertThat(claimed.get(1).inputFault()).isNull();
    assertThat(claimed.get(1).task().input()).isNotNull();
  }

  private void inputOfBytes(String stepId, int bytes) {
    scene.sql("UPDATE " + scene.tables.tasks() + " SET input = concat('\"', repeat('a', "
        + (bytes - 2) + "), '\"') WHERE step_id = '" + stepId + "'");
  }

  @Test
  void times_that_others_write_in_finer_units_turn_no_result_down() {
    long millis = now.toEpochMilli();
    Instant written = Instant.ofEpochMilli(millis);

    assertThat(times(millis).startedAt()).isEqualTo(written);
    assertThat(times(millis).createdAt()).isEqualTo(written);
    for (long finer : List.of(millis * 1_000, millis * 1_000_000 + 1)) {
      assertThat(times(finer).startedAt()).isNull();
      assertThat(times(finer).createdAt()).isEqualTo(written);
    }
    assertThat(times(Long.MIN_VALUE).createdAt())
        .isBetween(Instant.parse("0001-01-01T00:00:00Z"), now);
  }

  private StepResult times(long both) {
    scene.sql("DELETE FROM " + scene.tables.results());
    scene.sql("INSERT INTO " + scene.tables.results()
        + " (step_id, run_id, seq, status, started_at, created_at)"
        + " VALUES ('run_1:0', 'run_1', 0, 'completed', " + both + ", " + both + ")");
    return done(scene.transport.claimStepResults(
            new ClaimStepResults(List.of("run_1:0"), "engine", now, LEASE)))
        .get(0)
        .result();
  }

  @Test
  void a_dispatch_that_joins_a_transaction_stands_or_falls_with_it() {
    Pool pool = scene.tables.pool();
    SqlStepTransport transport = scene.tables.transport(pool, scene.tables.options());
    DispatchSteps command = new DispatchSteps(List.of(step("run_1", null)), now);

    Future<Void> undone = pool.withTransaction(transaction -> transport
        .on(transaction)
        .dispatchSteps(command)
        .compose(dispatched -> Future.failedFuture("rolled back")));
    assertThatThrownBy(() -> done(undone)).hasRootCauseMessage("rolled back");
    assertThat(scene.count(scene.tables.tasks())).isZero();

    done(pool.withTransaction(transaction -> transport.on(transaction).dispatchSteps(command)));
    transport.wake(Set.of("echo"));
    assertThat(scene.count(scene.tables.tasks())).isEqualTo(1);
    assertThatThrownBy(() -> done(pool.withTransaction(transaction -> transport
            .on(transaction)
            .claimStepTasks(new ClaimStepTasks(List.of("echo"), "w", now, LEASE, 1)))))
        .hasRootCauseInstanceOf(RunlaneException.class);
    done(transport.close());
    assertThat(transport.signals()).isEmpty();
    done(pool.close());
  }

  @Test
  void a_row_that_somebody_keeps_locked_keeps_no_other_back() {
    List<StepTask> steps =
        IntStream.range(0, 8).mapToObj(i -> step("run_" + i, null)).toList();
    scene.dispatch(steps);
    List<StepClaim> claims = done(
            scene.transport.claimStepTasks(new ClaimStepTasks(List.of("echo"), "w", now, LEASE, 8)))
        .stream()
        .map(ClaimedStepTask::claim)
        .toList();
    Pool pool = scene.tables.pool();
    SqlConnection other = done(pool.getConnection());
    Transaction open = done(other.begin());
    done(other
        .query("SELECT 1 FROM " + scene.tables.tasks() + " WHERE step_id = 'run_3:0' FOR UPDATE")
        .execute());
    List<StepClaim> withStranger = new ArrayList<>(claims);
    withStranger.add(new StepClaim("run_9:0", "nobody"));

    Set<String> kept =
        done(scene.transport.renewStepTasks(new RenewStepTasks(withStranger, now.plusMillis(7))));
    assertThat(kept)
        .as("nothing is lost")
        .containsExactlyInAnyOrderElementsOf(
            steps.stream().map(StepTask::stepId).toList());
    assertThat(scene.tasksWhere("claimed_at = " + now.plusMillis(7).toEpochMilli()))
        .isEqualTo(7);

    assertThat(refused(scene.transport.releaseStepTasks(new ReleaseStepTasks(claims)))
            .isRetryable())
        .isTrue();
    assertThat(scene.tasksWhere("claimed_at IS NULL")).isEqualTo(7);

    List<String> ids = steps.stream().map(StepTask::stepId).toList();
    assertThat(refused(scene.transport.withdrawSteps(new WithdrawSteps(ids))).isRetryable())
        .isTrue();
    assertThat(done(scene.transport.listStepTasks(new ListStepTasks(ids))))
        .extracting(StepTaskState::stepId)
        .containsExactly("run_3:0");

    done(open.commit());
    assertThat(done(scene.transport.renewStepTasks(new RenewStepTasks(claims, now))))
        .containsExactly("run_3:0");
    done(pool.close());
  }

  @Test
  void a_claim_takes_what_nobody_holds_and_waits_for_no_row() {
    List<String> ids = List.of("run_0:0", "run_1:0", "run_2:0");
    scene.dispatch(IntStream.range(0, 3).mapToObj(i -> step("run_" + i, null)).toList());
    for (int i = 0; i < 3; i++) {
      done(scene.tables.putResult(
          new StepResult(ids.get(i), "run_" + i, 0, new StepOutcome.Completed(null), now, now)));
    }
    Pool pool = scene.tables.pool();
    SqlConnection other = done(pool.getConnection());
    Transaction open = done(other.begin());
    for (String table : List.of(scene.tables.tasks(), scene.tables.results())) {
      done(other
          .query("SELECT 1 FROM " + table + " WHERE step_id = 'run_1:0' FOR UPDATE")
          .execute());
    }

    List<ClaimedStepTask> tasks = done(
        scene.transport.claimStepTasks(new ClaimStepTasks(List.of("echo"), "w", now, LEASE, 10)));
    List<ClaimedStepResult> results =
        done(scene.transport.claimStepResults(new ClaimStepResults(ids, "engine", now, LEASE)));

    assertThat(tasks)
        .extracting(each -> each.claim().stepId())
        .containsExactlyInAnyOrder("run_0:0", "run_2:0");
    assertThat(results)
        .extracting(each -> each.claim().stepId())
        .containsExactlyInAnyOrder("run_0:0", "run_2:0");
    done(open.commit());
    done(pool.close());
  }

  @Test
  void an_owner_without_a_time_leases_nothing() {
    scene.dispatch(step("run_1", null));
    StepClaim claim = claimedBy("a", now);
    scene.sql("UPDATE " + scene.tables.tasks() + " SET claimed_at = NULL");

    assertThat(done(scene.transport.renewStepTasks(new RenewStepTasks(List.of(claim), now))))
        .isEmpty();
    assertThat(done(scene.transport.recordStepResults(new RecordStepResults(
            List.of(new RecordStepResults.Ended(claim, new StepOutcome.Completed(null), now)),
            now))))
        .containsExactly(RecordOutcome.LEASE_LOST);

    assertThat(scene.count(scene.tables.results())).isZero();
    assertThat(claimedBy("b", now).stepId()).isEqualTo("run_1:0");
  }

  private StepClaim claimedBy(String worker, Instant at) {
    return done(scene.transport.claimStepTasks(
            new ClaimStepTasks(List.of("echo"), worker, at, LEASE, 1)))
        .get(0)
        .claim();
  }

  @Test
  void a_silent_database_is_an_outage_after_the_deadline_and_works_after_it() {
    try (TcpLine line = scene.tables.line()) {
      SqlStepTransport transport = scene.tables.transport(line, impatient());
      DispatchSteps command = new DispatchSteps(List.of(step("run_1", null)), now);
      scene.inTheEnd(() -> transport.dispatchSteps(command));
      line.silence();

      List.<Future<?>>of(
              transport.dispatchSteps(command),
              transport.listStepTasks(new ListStepTasks(List.of("run_1:0"))),
              transport.claimStepTasks(new ClaimStepTasks(List.of("echo"), "w", now, LEASE, 1)))
          .forEach(call -> {
            RunlaneException failure = refused(call);
            assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
            assertThat(failure.isRetryable()).isTrue();
          });

      line.speak();
      assertThat(scene.inTheEnd(() -> transport.dispatchSteps(command))).hasSize(1);
      done(transport.close());
    }
  }

  @Test
  void a_call_that_a_silent_database_leaves_open_fails_on_its_callers_context() {
    try (TcpLine line = scene.tables.line()) {
      Pool pool = scene.tables.pool(line);
      SqlStepTransport transport = scene.tables.transport(pool, impatient());
      ListStepTasks look = new ListStepTasks(List.of("run_1:0"));
      scene.inTheEnd(() -> transport.listStepTasks(look));
      line.silence();
      Promise<Context> failedOn = Promise.promise();
      Context caller = scene.vertx.getOrCreateContext();

      caller.runOnContext(turn -> transport
          .listStepTasks(look)
          .onFailure(failure -> failedOn.complete(Vertx.currentContext())));

      assertThat(done(failedOn.future())).isSameAs(caller);
      done(transport.close());
    }
  }

  @Test
  void a_transport_that_began_in_the_silence_works_after_it_on_the_applications_pool() {
    try (TcpLine line = scene.tables.line()) {
      SqlStepTransport transport = scene.tables.transport(scene.tables.pool(line), impatient());
      DispatchSteps command = new DispatchSteps(List.of(step("run_1", null)), now);
      line.silence();

      assertThat(refused(transport.dispatchSteps(command)).code())
          .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);

      line.speak();
      assertThat(scene.inTheEnd(() -> transport.dispatchSteps(command))).hasSize(1);
      done(transport.close());
    }
  }

  @Test
  void closing_in_the_silence_ends_and_calls_fail_as_closed() {
    try (TcpLine line = scene.tables.line()) {
      SqlStepTransport transport =
          scene.tables.transport(line, impatient().setStatementDeadline(Duration.ofMinutes(10)));
      DispatchSteps command = new DispatchSteps(List.of(step("run_1", null)), now);
      done(transport.dispatchSteps(command));
      line.silence();
      Future<?> pending = transport.dispatchSteps(command);

      done(transport.close());

      assertThat(refused(pending).code()).isEqualTo(ErrorCode.OPERATION_CANCELLED);
      assertThat(refused(transport.dispatchSteps(command)).code())
          .isEqualTo(ErrorCode.OPERATION_CANCELLED);
    }
  }

  private SqlStepOptions impatient() {
    return scene
        .tables
        .options()
        .setStatementDeadline(Duration.ofSeconds(3))
        .setCloseTimeout(Duration.ofMillis(300));
  }

  private static RunlaneException refused(Future<?> call) {
    return done(call.transform((answer, failure) -> failure instanceof RunlaneException ours
        ? Future.succeededFuture(ours)
        : Future.failedFuture("a failure of ours was expected")));
  }
}
