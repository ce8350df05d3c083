package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.StepScene.done;
import static dev.runlane.steps.sql.StepScene.quick;
import static dev.runlane.steps.sql.StepScene.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.ForwardingStepTransport;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.sql.worker.SqlStepWorkerOptions;
import dev.runlane.steps.sql.worker.StepHandler;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a worker promises, on whatever database. */
@DisplayNameGeneration(ReplaceUnderscores.class)
abstract class StepWorkerCases {
  /** Longer than a busy machine keeps a process from renewing it. */
  private static final Duration LEASE = Duration.ofSeconds(9);

  private final StepScene scene;

  StepWorkerCases(Function<Vertx, SqlStepFixture> fixture) {
    scene = new StepScene(fixture);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_handlers_answer_comes_back_whatever_it_is() {
    SqlStepWorker worker = scene
        .worker(quick())
        .handle("echo", call -> Future.succeededFuture(call.done(call.input().orElse(null))))
        .handle("nothing", call -> Future.succeededFuture(call.done()))
        .handle(
            "object",
            call -> Future.succeededFuture(
                call.done(call.inputObject().put("attempt", call.task().attempt()))));
    scene.engine();
    done(worker.start());

    scene.dispatch(
        step("run_1", "\"\u00e4\ud83d\ude80\\u0000\""),
        step("run_2", null),
        StepTask.first("run_3", 0, "nothing", null),
        StepTask.first("run_4", 0, "object", Json.ofChecked("{\"a\":1}")),
        StepTask.first("run_5", 0, "object", Json.ofChecked("[1]")));

    scene.until("five results", () -> scene.outcomes.size() == 5);
    assertThat(scene.outcomes)
        .containsEntry(
            "run_1", new StepOutcome.Completed(Json.ofChecked("\"\u00e4\ud83d\ude80\\u0000\"")))
        .containsEntry("run_2", new StepOutcome.Completed(Json.ofChecked("null")))
        .containsEntry("run_3", new StepOutcome.Completed(null))
        .containsEntry(
            "run_4", new StepOutcome.Completed(Json.ofChecked("{\"a\":1,\"attempt\":1}")));
    assertThat(error("run_5").mayBeRetried()).isFalse();
    assertThat(scene.count(scene.tables.tasks())).isZero();
    scene.until("settled", () -> scene.count(scene.tables.results()) == 0);
  }

  @Test
  void failures_say_whether_they_may_be_tried_again() {
    SqlStepWorker worker = scene.worker(quick()).handle("echo", call -> {
      switch (call.input().orElseThrow().text()) {
        case "1":
          throw new IllegalStateException("thrown");
        case "2":
          return Future.failedFuture(new IllegalStateException("failed \u0000"));
        case "3":
          return Future.failedFuture(RunlaneException.validationFailed("for good"));
        case "4":
          return Future.failedFuture(
              RunlaneException.of(ErrorCode.TASK_FAILED, "again").asRetryable());
        case "5":
          return Future.succeededFuture(call.failedForGood("card_declined", "declined"));
        case "6":
          return Future.succeededFuture(call.failed("busy", "later"));
        case "7":
          return Future.succeededFuture(call.done(new Object()));
        case "8":
          return Future.failedFuture(new NullPointerException());
        case "9":
          return Future.failedFuture(new Speechless());
        default:
          return null;
      }
    });
    scene.engine();
    done(worker.start());

    scene.dispatch(IntStream.rangeClosed(1, 10)
        .mapToObj(i -> step("run_" + i, String.valueOf(i)))
        .toList());

    scene.until("ten results", () -> scene.outcomes.size() == 10);
    assertThat(error("run_1")).isEqualTo(new StepError("thrown", null, null, null));
    assertThat(error("run_2")).isEqualTo(new StepError("failed \u0000", null, null, null));
    assertThat(error("run_3"))
        .isEqualTo(new StepError("for good", "validation_failed", false, null));
    assertThat(error("run_4")).isEqualTo(new StepError("again", "task_failed", true, null));
    assertThat(error("run_5")).isEqualTo(new StepError("declined", "card_declined", false, null));
    assertThat(error("run_6")).isEqualTo(new StepError("later", "busy", null, null));
    assertThat(error("run_7").mayBeRetried()).isFalse();
    assertThat(error("run_8").message()).isEqualTo("NullPointerException");
    assertThat(error("run_9")).isEqualTo(StepError.of(null, Speechless.class.getName()));
    assertThat(error("run_10").mayBeRetried()).isFalse();
  }

  private static final class Speechless extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }

  @Test
  void an_unknown_handler_and_an_unreadable_input_fail_their_step_for_good_and_no_other() {
    SqlStepWorker worker = scene
        .worker(quick().setGroups(List.of("echo")))
        .handle("echo", call -> Future.succeededFuture(call.done(1)));
    scene.dispatch(
        step("run_1", "1"),
        step("run_2", "1"),
        StepTask.first("run_3", 0, "x:y", null).in("echo"),
        step("run_4", "1"));
    done(scene.tables.breakInput("run_2:0"));
    scene.engine();

    done(worker.start());

    scene.until("four results", () -> scene.outcomes.size() == 4);
    assertThat(error("run_2").mayBeRetried()).isFalse();
    assertThat(error("run_2").message()).contains("run_2:0").contains("not JSON");
    assertThat(error("run_3")).isEqualTo(new StepError("no handler for x:y", null, false, null));
    assertThat(scene.outcomes.get("run_4"))
        .isEqualTo(new StepOutcome.Completed(Json.ofChecked("1")));
  }

  @Test
  void a_handler_longer_than_its_lease_runs_once() {
    AtomicInteger calls = new AtomicInteger();
    Promise<Void> held = Promise.promise();
    StepHandler slow = call -> {
      calls.incrementAndGet();
      return held.future().map(over -> call.done("done"));
    };
    SqlStepWorkerOptions shortLease = quick().setLease(LEASE);
    SqlStepWorker first = scene.worker(shortLease).handle("echo", slow);
    SqlStepWorker second = scene.worker(shortLease).handle("echo", slow);
    scene.engine();
    done(first.start());
    done(second.start());

    scene.dispatch(step("run_1", null));
    scene.until("it runs", () -> calls.get() == 1);
    long leasedAt = leasedAtMillis();
    scene.untilSeldom(
        "the lease is renewed for longer than it lasts",
        () -> leasedAtMillis() > leasedAt + LEASE.toMillis());
    held.complete();

    scene.until("a result", () -> scene.outcomes.size() == 1);
    assertThat(calls).hasValue(1);
  }

  @Test
  @Tag("drill")
  void a_step_of_a_killed_process_is_taken_over_once_its_lease_has_passed() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    SqlStepWorker ours = scene.worker(quick().setLease(LEASE)).handle("echo", call -> {
      calls.incrementAndGet();
      return Future.succeededFuture(call.done(call.task().attempt()));
    });
    scene.engine();
    scene.dispatch(step("run_1", null));
    Process killed = WorkerProgram.start(scene.tables, LEASE, StepScene.NAME);
    try {
      assertThat(WorkerProgram.awaitStep(killed)).isEqualTo("run_1:0");
      long leasedAt = leasedAtMillis();
      done(ours.start());
      scene.untilSeldom(
          "the lease is renewed for longer than it lasts",
          () -> leasedAtMillis() > leasedAt + LEASE.toMillis());
      assertThat(calls).as("it is its process's").hasValue(0);

      killed.destroyForcibly();

      scene.untilSeldom("a result", () -> scene.outcomes.size() == 1);
      scene.until(
          "nothing is left",
          () -> scene.count(scene.tables.tasks()) + scene.count(scene.tables.results()) == 0);
    } finally {
      killed.destroyForcibly();
    }
    assertThat(calls).hasValue(1);
    assertThat(scene.outcomes)
        .containsExactly(Map.entry("run_1", new StepOutcome.Completed(Json.ofChecked("1"))));
  }

  private long leasedAtMillis() {
    return scene
        .sql("SELECT claimed_at FROM " + scene.tables.tasks() + " WHERE claimed_at IS NOT NULL")
        .iterator()
        .next()
        .getLong(0);
  }

  @Test
  void a_lost_lease_is_told_to_the_handler_and_its_answer_is_not_recorded() {
    Promise<Void> running = Promise.promise();
    Promise<Void> told = Promise.promise();
    SqlStepWorker worker = scene
        .worker(quick().setLease(Duration.ofSeconds(3)))
        .handle("echo", call -> {
          running.tryComplete(); // it is called again where its lease has passed on a busy machine
          return call.leaseLost().map(lost -> {
            told.tryComplete();
            return call.done("too late");
          });
        });
    done(worker.start());
    scene.dispatch(step("run_1", null));
    done(running.future());

    scene.sql("UPDATE " + scene.tables.tasks()
        + " SET claimed_by = 'thief', claimed_at = 9000000000000 WHERE step_id = 'run_1:0'");

    done(told.future());
    done(worker.stop());
    assertThat(scene.count(scene.tables.results())).isZero();
    assertThat(scene.tasksWhere("claimed_by = 'thief'")).isEqualTo(1);
  }

  @Test
  void a_claim_that_is_answered_after_its_lease_is_handed_back_unstarted() {
    Duration lease = Duration.ofSeconds(2);
    List<StepClaim> late = new CopyOnWriteArrayList<>();
    List<StepClaim> handedBack = new CopyOnWriteArrayList<>();
    StepTransport slowOnce = new ForwardingStepTransport(scene.transport) {
      @Override
      public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
        return super.claimStepTasks(command).compose(claimed -> {
          if (claimed.isEmpty() || !late.isEmpty()) {
            return Future.succeededFuture(claimed);
          }
          claimed.forEach(each -> late.add(each.claim()));
          return scene.vertx.timer(lease.toMillis(), TimeUnit.MILLISECONDS).map(rung -> claimed);
        });
      }

      @Override
      public Future<Void> releaseStepTasks(ReleaseStepTasks command) {
        handedBack.addAll(command.claims());
        return super.releaseStepTasks(command);
      }
    };
    List<Boolean> begun = new CopyOnWriteArrayList<>(); // whether the late claim was gone by then
    SqlStepWorker worker = scene.worker(slowOnce, quick().setLease(lease)).handle("echo", call -> {
      begun.add(handedBack.containsAll(late));
      return Future.succeededFuture(call.done());
    });
    scene.engine();
    scene.dispatch(step("run_1", null));

    done(worker.start());

    scene.until("a result", () -> scene.outcomes.size() == 1);
    assertThat(begun).isNotEmpty().containsOnly(true);
  }

  @Test
  void no_more_is_claimed_than_may_run() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Map<Integer, Promise<Void>> gates = new ConcurrentHashMap<>();
    SqlStepWorker worker = scene.worker(quick().setConcurrency(3)).handle("echo", call -> {
      most.accumulateAndGet(running.incrementAndGet(), Math::max);
      Promise<Void> gate = Promise.promise();
      gates.put(gates.size(), gate);
      return gate.future().map(open -> {
        running.decrementAndGet();
        return call.done();
      });
    });
    scene.dispatch(IntStream.range(0, 10).mapToObj(i -> step("run_" + i, null)).toList());
    scene.engine();
    done(worker.start());

    scene.until("three run", () -> running.get() == 3);
    assertThat(scene.tasksWhere("claimed_at IS NOT NULL")).isEqualTo(3);
    scene.until("ten results", () -> {
      gates.values().forEach(Promise::tryComplete);
      return scene.outcomes.size() == 10;
    });
    assertThat(most.get()).isEqualTo(3);
  }

  @Test
  void several_groups_and_a_partition_are_served_by_one_worker() {
    SqlStepWorker worker = scene
        .worker(quick().setPartition("blue"))
        .handle("a:b", call -> Future.succeededFuture(call.done("ab")))
        .handle("c", call -> Future.succeededFuture(call.done("c")));
    scene.engine();
    done(worker.start());

    scene.dispatch(
        StepTask.first("run_1", 0, "a:b", null).in("a-b@blue"),
        StepTask.first("run_2", 0, "c", null).in("c@blue"),
        StepTask.first("run_3", 0, "c", null));

    scene.until("two results", () -> scene.outcomes.size() == 2);
    assertThat(scene.outcomes).containsOnlyKeys("run_1", "run_2");
    assertThat(scene.count(scene.tables.tasks())).isEqualTo(1);
  }

  @Test
  void two_workers_share_the_work_and_run_each_step_once() {
    Map<String, Integer> calls = new ConcurrentHashMap<>();
    StepHandler counting = call -> {
      calls.merge(call.task().stepId(), 1, Integer::sum);
      return Future.succeededFuture(call.done());
    };
    scene.engine();
    done(scene.worker(quick()).handle("echo", counting).start());
    done(scene
        .worker(done(scene.tables.open()), quick())
        .handle("echo", counting)
        .start());

    scene.dispatch(IntStream.range(0, 300).mapToObj(i -> step("run_" + i, null)).toList());

    scene.until("all results", () -> scene.outcomes.size() == 300);
    assertThat(calls).hasSize(300);
    assertThat(calls.values()).containsOnly(1);
  }

  @Test
  void stopping_waits_for_handlers_and_records_their_answers() {
    Promise<Void> running = Promise.promise();
    Promise<Void> gate = Promise.promise();
    SqlStepWorker worker = scene.worker(quick()).handle("echo", call -> {
      running.complete();
      return gate.future().map(open -> call.done("in time"));
    });
    done(worker.start());
    scene.dispatch(step("run_1", null));
    done(running.future());

    Future<Void> stopped = worker.stop();
    scene.dispatch(step("run_2", null));
    gate.complete();
    done(stopped);

    assertThat(scene.count(scene.tables.results())).isEqualTo(1);
    assertThat(scene.count(scene.tables.tasks())).as("claimed nothing any more").isEqualTo(1);
    done(worker.stop());
  }

  @Test
  void stopping_leaves_a_handler_that_takes_too_long_to_its_lease() {
    Promise<Void> running = Promise.promise();
    Promise<Void> gate = Promise.promise();
    SqlStepWorker worker = scene
        .worker(quick().setDrainTimeout(Duration.ofMillis(50)))
        .handle("echo", call -> {
          running.complete();
          return gate.future().map(open -> call.done("too late"));
        });
    done(worker.start());
    scene.dispatch(step("run_1", null));
    done(running.future());

    done(worker.stop());
    gate.complete();

    assertThat(scene.tasksWhere("claimed_at IS NOT NULL")).isEqualTo(1);
    assertThat(scene.count(scene.tables.results())).isZero();
  }

  @Test
  void what_was_claimed_and_not_begun_is_handed_back_on_stop() {
    Promise<Void> claimed = Promise.promise();
    Promise<Void> gate = Promise.promise();
    AtomicInteger calls = new AtomicInteger();
    SqlStepWorker worker = scene
        .worker(claimingLate(claimed, gate), quick())
        .handle("echo", call -> {
          calls.incrementAndGet();
          return Future.succeededFuture(call.done());
        });
    scene.dispatch(step("run_1", null));
    done(worker.start());
    done(claimed.future());

    Future<Void> stopped = worker.stop();
    scene.vertx.runOnContext(turn -> gate.complete()); // after the turn that stops
    done(stopped);

    assertThat(calls).hasValue(0);
    assertThat(scene.tasksWhere("claimed_by IS NULL AND claimed_at IS NULL")).isEqualTo(1);
  }

  @Test
  void stopping_does_not_wait_longer_for_a_claim_that_is_not_answered() {
    Promise<Void> claimed = Promise.promise();
    Promise<Void> gate = Promise.promise();
    AtomicInteger calls = new AtomicInteger();
    SqlStepWorker worker = scene
        .worker(claimingLate(claimed, gate), quick().setDrainTimeout(Duration.ofMillis(50)))
        .handle("echo", call -> {
          calls.incrementAndGet();
          return Future.succeededFuture(call.done());
        });
    scene.dispatch(step("run_1", null));
    done(worker.start());
    done(claimed.future());

    done(worker.stop());

    gate.complete();
    scene.until("it is handed back", () -> scene.tasksWhere("claimed_at IS NULL") == 1);
    assertThat(calls).hasValue(0);
  }

  /** The answer of each claim waits for the gate. */
  private StepTransport claimingLate(Promise<Void> claimed, Promise<Void> gate) {
    return new ForwardingStepTransport(scene.transport) {
      @Override
      public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
        return super.claimStepTasks(command).compose(tasks -> {
          claimed.tryComplete();
          return gate.future().map(tasks);
        });
      }
    };
  }

  @Test
  void handlers_are_registered_once_and_before_the_start() {
    SqlStepWorker worker = scene.worker(quick());
    assertThatThrownBy(() -> done(worker.start())).hasRootCauseInstanceOf(RunlaneException.class);
    StepHandler handler = call -> Future.succeededFuture(call.done());
    SqlStepWorker registered = scene.worker(quick()).handle("echo", handler);

    assertThatThrownBy(() -> registered.handle("echo", handler))
        .isInstanceOf(RunlaneException.class);
    done(registered.start());
    assertThatThrownBy(() -> registered.handle("other", handler))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void options_have_a_json_form_and_refuse_what_they_do_not_know() {
    JsonObject json = new SqlStepWorkerOptions()
        .setGroups(List.of("a"))
        .setPartition("blue")
        .setWorkerId("w")
        .setConcurrency(2)
        .toJson();

    assertThat(new SqlStepWorkerOptions(json).toJson()).isEqualTo(json);
    assertThat(new SqlStepWorkerOptions(new SqlStepWorkerOptions(json)).toJson())
        .isEqualTo(json);
    for (JsonObject wrong : List.of(
        new JsonObject().put("concurency", 3),
        new JsonObject().put("concurrency", "3"),
        new JsonObject().put("concurrency", 0),
        new JsonObject().put("lease", "0s"),
        new JsonObject().put("groups", "a"))) {
      assertThatThrownBy(() -> new SqlStepWorkerOptions(wrong))
          .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
              .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    }
  }

  private StepError error(String runId) {
    return ((StepOutcome.Failed) scene.outcomes.get(runId)).error();
  }
}
