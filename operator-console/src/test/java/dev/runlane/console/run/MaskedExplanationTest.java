package dev.runlane.console.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.access.Role;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.operate.RunExplanation;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.operate.RunExplanation.Reason;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.memory.MemoryLane;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What an explanation tells somebody from whom a path is hidden. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MaskedExplanationTest {
  private static final String SECRET = "s3cret";
  private static final Reason FAILED = new Reason(
      Code.LAST_FAILURE,
      "It failed: card_declined, " + SECRET,
      Map.of("code", "card_declined", "message", SECRET, "meta", "{\"iban\":\"s3cret\"}"));
  private static final Reason PAUSED = new Reason(
      Code.QUEUE_PAUSED,
      "It was paused: " + SECRET,
      Map.of("queue", "mail", "pausedBy", "ann", "reason", SECRET));
  private static final Reason RELEASED = new Reason(
      Code.RELEASED,
      "It was released: " + SECRET,
      Map.of("reason", SECRET, "meta", "{\"iban\":\"s3cret\"}"));
  private static final Reason WAKEUP = new Reason(
      Code.WAKEUP_DEAD_LETTERED,
      "Its wakeup was given up: " + SECRET,
      Map.of("failureCode", "transport_unavailable", "failure", SECRET));
  private static final Reason LEASED = new Reason(
      Code.LEASED, "Worker s3cret runs it", Map.of("workerId", SECRET, "leaseUntil", "then"));

  private final Vertx vertx = Vertx.vertx();
  private final Task<JsonObject> echo = Task.define("echo", JsonObject.class)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
  private final Runlane runlane = Runlane.builder(vertx, MemoryLane.create())
      .queue(TaskQueue.of("mail").asDefault())
      .task(echo)
      .build();
  private RunRecord run;

  @BeforeEach
  void trigger() throws TimeoutException {
    await(runlane.start());
    run = await(runlane.trigger(echo, new JsonObject(), new TriggerOptions())).run();
  }

  @AfterEach
  void close() throws TimeoutException {
    await(runlane.close());
    await(vertx.close());
  }

  @Test
  void a_path_hides_the_reasons_that_tell_what_it_names_and_no_other() {
    assertHidden("$.failure", FAILED, WAKEUP);
    assertHidden("$.failure.message", FAILED, WAKEUP);
    assertHidden("$.failure.code", FAILED, WAKEUP);
    assertHidden("$.failure.meta", FAILED);
    assertHidden("$.meta", RELEASED);
    assertHidden("$..iban", FAILED, RELEASED);
    assertHidden("$.reason", PAUSED, RELEASED);
    assertHidden("$.actor.id", PAUSED);
    assertHidden("$.lease.workerId", LEASED);
    assertHidden("$.payload");
  }

  @Test
  void who_may_see_everything_is_told_every_reason() {
    assertThat(told("$.failure", Role.ADMIN).findValuesAsText("text"))
        .contains(FAILED.text(), WAKEUP.text());
  }

  private void assertHidden(String path, Reason... hidden) {
    ObjectNode told = told(path, Role.VIEWER);
    List<String> codes =
        List.of(hidden).stream().map(each -> each.code().value()).toList();
    told.path("reasons").forEach(reason -> {
      boolean isHidden = codes.contains(reason.path("code").textValue());
      assertThat(reason.path("text").textValue().equals(Masks.MASKED))
          .as(path + " hides " + reason)
          .isEqualTo(isHidden);
      assertThat(reason.path("details").isEmpty()).isEqualTo(isHidden);
    });
  }

  private ObjectNode told(String path, Role role) {
    RunExplanation explanation =
        new RunExplanation(run, List.of(FAILED, PAUSED, RELEASED, WAKEUP, LEASED));
    return new RunBodies(new Masks(List.of(path), Role.ADMIN))
        .explanation(explanation, Map.of(), new Caller("ann", role, null));
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(60, SECONDS);
  }
}
