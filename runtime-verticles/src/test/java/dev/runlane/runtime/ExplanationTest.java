package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.operate.RunExplanation;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.operate.RunExplanation.Reason;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an explanation takes from the history of a run. */
class ExplanationTest {
  private final RemoteFleet remote = new RemoteFleet();
  private final Fleet fleet = remote.fleet;
  private Runlane runlane;

  private static Task.Definition<String> task() {
    return Task.define("told", String.class)
        .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofHours(1)));
  }

  private String start(Task<String> task) {
    runlane = remote.process(task);
    remote.work(runlane);
    String runId = done(runlane.trigger(task, "x")).run().id();
    fleet.pass(Duration.ofMillis(200));
    return runId;
  }

  private RunExplanation explained(String runId) {
    return done(runlane.runs().explain(runId));
  }

  private Reason reason(String runId, Code code) {
    return explained(runId).reasons().stream()
        .filter(each -> each.code() == code)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + code + " in " + explained(runId)));
  }

  @Test
  void it_tells_the_attempt_of_how_many_and_the_last_failure_and_when() {
    String runId = start(task()
        .handler((payload, context) -> Future.failedFuture(
            RunlaneException.of(ErrorCode.TASK_FAILED, "card declined").asRetryable())));
    String failedAt = fleet.run(runlane, runId).updatedAt().toString();

    assertThat(reason(runId, Code.ATTEMPT).details())
        .containsEntry("attempt", "2")
        .containsEntry("maxAttempts", "3")
        .containsEntry("begun", "1");
    assertThat(reason(runId, Code.ATTEMPT).text()).contains("attempt 2 of 3");
    assertThat(reason(runId, Code.LAST_FAILURE).details())
        .containsEntry("failedAt", failedAt)
        .containsEntry("code", "task_failed")
        .containsEntry("message", "card declined");
    assertThat(explained(runId).text()).contains("card declined").contains(failedAt);

    fleet.pass(Duration.ofHours(3));
    assertThat(explained(runId).reasons()).first().extracting(Reason::code).isEqualTo(Code.ENDED);
    assertThat(reason(runId, Code.ATTEMPT).text()).contains("attempt 3 of 3");
  }

  @Test
  void it_tells_why_a_run_was_released_as_words_and_as_data() {
    String runId = start(task()
        .handler((payload, context) -> Future.succeededFuture(
            context.release(Duration.ofHours(2), "bank_closed", Map.of("bank", "b1")))));

    assertThat(reason(runId, Code.RELEASED).details())
        .containsEntry("reason", "bank_closed")
        .containsEntry("meta", "{\"bank\":\"b1\"}")
        .containsKey("releasedAt");
    assertThat(reason(runId, Code.RELEASED).text()).contains("bank_closed");
    assertThat(explained(runId).reasons()).first().extracting(Reason::code).isEqualTo(Code.NOT_DUE);
  }

  @Test
  void it_tells_both_names_of_steps_that_differ() {
    List<String> asked = new ArrayList<>(List.of("old"));
    Task<String> task = task().handler((payload, context) -> context
        .step(asked.get(0), () -> Future.succeededFuture())
        .compose(done -> context.sleep(Duration.ofMinutes(1)))
        .map(slept -> TaskResult.done()));
    String runId = start(task);
    asked.set(0, "new");
    fleet.pass(Duration.ofSeconds(95));

    Reason released = reason(runId, Code.RELEASED);
    assertThat(released.details()).containsEntry("reason", "non_deterministic");
    assertThat(released.details().get("meta")).contains("step old").contains("step new");
    assertThat(released.text()).contains("step old").contains("step new");
  }

  @Test
  void it_tells_a_sleep_from_a_wait_and_counts_all_steps_that_are_waited_for() {
    String sleeping = start(task()
        .handler((payload, context) ->
            context.sleep(Duration.ofDays(1)).map(slept -> TaskResult.done())));
    assertThat(reason(sleeping, Code.NOT_DUE).text())
        .startsWith("It sleeps until 2026-01-02T12:00");

    String waiting = start(Task.define("waiting", String.class).handler((payload, context) -> {
      List<Future<?>> all = new ArrayList<>();
      for (int step = 0; step < 25; step++) {
        all.add(context.remote("ask", step));
      }
      return Future.all(all).map(done -> TaskResult.done());
    }));
    assertThat(reason(waiting, Code.AWAITING_STEP).details()).containsEntry("steps", "25");
    assertThat(explained(waiting).text()).contains("waits for 25 steps").contains("first 10");
  }

  @Test
  void a_process_without_a_step_transport_tells_a_sleep_from_a_wait_too() {
    String sleeping = start(task()
        .handler((payload, context) ->
            context.sleep(Duration.ofDays(1)).map(slept -> TaskResult.done())));
    String waiting = start(Task.define("waiting", String.class)
        .handler(
            (payload, context) -> context.remote("ask", payload).map(done -> TaskResult.done())));

    runlane = fleet.process(task().handler((payload, context) -> Future.succeededFuture()));

    assertThat(reason(sleeping, Code.NOT_DUE).text())
        .startsWith("It sleeps until 2026-01-02T12:00");
    assertThat(reason(waiting, Code.NOT_DUE).text()).startsWith("It waits for one of its steps");
    assertThat(reason(waiting, Code.AWAITING_STEP).details()).containsEntry("name", "ask");
  }

  @Test
  void it_tells_when_the_owner_of_the_lease_was_last_heard_of() {
    String runId =
        start(task().handler((payload, context) -> Promise.<TaskResult>promise().future()));
    String claimedAt = reason(runId, Code.LEASED).details().get("lastHeartbeatAt");
    assertThat(claimedAt).startsWith("2026-01-01T12:00:0");
    fleet.pass(Duration.ofMinutes(5));

    String heartbeat = reason(runId, Code.LEASED).details().get("lastHeartbeatAt");

    assertThat(heartbeat).isGreaterThan("2026-01-01T12:04:4");
    assertThat(reason(runId, Code.LEASED).text()).contains(heartbeat);
    fleet.faults.kill();
    fleet.pass(Duration.ofMinutes(5));
    runlane = remote.process(task().handler((payload, context) -> Future.succeededFuture()));
    assertThat(reason(runId, Code.LEASE_EXPIRED).details())
        .containsEntry("lastHeartbeatAt", heartbeat);
  }

  @Test
  void it_claims_no_worker_where_none_has_been_seen() {
    Task<String> task = task().handler((payload, context) -> Future.succeededFuture());
    runlane = remote.process(task);
    Faults first = fleet.faults;
    String runId = done(runlane.trigger(task, "x")).run().id();
    assertThat(reason(runId, Code.WAITING_FOR_WORKER).text()).contains("where one runs");

    runlane = remote.process(List.of(TaskQueue.of("other").asDefault()));

    assertThat(reason(runId, Code.NO_TASK).text())
        .startsWith("No process with task told has been seen");
    assertThat(explained(runId).reasons())
        .as("the first process lives and has the queue")
        .noneMatch(each -> each.code() == Code.NO_QUEUE);

    first.kill();
    fleet.pass(Duration.ofMinutes(1));

    assertThat(reason(runId, Code.NO_QUEUE).text())
        .startsWith("No process with queue default has been seen");
    assertThat(explained(runId).reasons())
        .noneMatch(each -> each.code() == Code.WAITING_FOR_WORKER);
  }
}
