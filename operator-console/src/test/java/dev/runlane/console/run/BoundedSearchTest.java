package dev.runlane.console.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.access.Role;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.storage.read.RunFilter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Searches among more runs than one search looks at. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class BoundedSearchTest {
  private static final int FAILED = 3;
  private static final int WAITING = 500;
  private static final Caller CALLER = new Caller("ada", Role.ADMIN, null);
  private static final RunSearch.Wanted BROKEN = broken(Map.of());

  private final Vertx vertx = Vertx.vertx();
  private final Task<JsonObject> fails = Task.define("fails", JsonObject.class)
      .retry(RetryPolicy.NONE)
      .handler((payload, context) ->
          Future.failedFuture(RunlaneException.of(ErrorCode.TASK_FAILED, "it is broken")));
  private final Runlane runlane = Runlane.builder(vertx, MemoryLane.create())
      .queue(TaskQueue.of("mail").asDefault())
      .task(fails)
      .build();
  private final List<String> failed = new ArrayList<>();

  @BeforeEach
  void trigger() throws TimeoutException {
    await(runlane.start());
    for (int run = 0; run < FAILED; run++) {
      failed.add(await(runlane.trigger(
              fails,
              new JsonObject(),
              new TriggerOptions().setTags(Map.of("number", String.valueOf(run)))))
          .run()
          .id());
      await(runlane.executeNext());
    }
    await(runlane.triggerAll(
        fails, Collections.nCopies(WAITING, new JsonObject()), new TriggerOptions()));
  }

  @AfterEach
  void close() throws TimeoutException {
    await(runlane.close());
    await(vertx.close());
  }

  @Test
  void a_search_looks_at_all_runs_where_it_has_the_time() throws TimeoutException {
    ObjectNode found = await(search(() -> Duration.ZERO, null));

    assertThat(ids(found)).containsExactlyInAnyOrderElementsOf(failed);
    assertThat(found.get("data").findValuesAsText("number"))
        .containsExactlyInAnyOrder("0", "1", "2");
    assertThat(found.path("looked").path("runs").asInt()).isEqualTo(FAILED + WAITING);
    assertThat(found.path("looked").path("isCut").asBoolean()).isFalse();
  }

  @Test
  void a_search_that_takes_long_says_how_far_it_looked_and_the_next_one_goes_on_behind()
      throws TimeoutException {
    Duration[] now = {Duration.ZERO};
    RunSearch.Ticks slow = () -> now[0] = now[0].plus(RunSearch.LOOKED_FOR.dividedBy(2));

    ObjectNode first = await(search(slow, null));
    ObjectNode second = await(search(slow, first.path("nextCursor").asText()));

    assertThat(ids(first)).isEmpty();
    assertThat(first.path("looked").path("runs").asInt()).isEqualTo(400);
    assertThat(first.path("looked").path("isCut").asBoolean()).isTrue();
    assertThat(ids(second)).containsExactlyInAnyOrderElementsOf(failed);
    assertThat(second.path("looked").path("runs").asInt()).isEqualTo(FAILED + WAITING - 400);
    assertThat(second.path("looked").path("isCut").asBoolean()).isFalse();
  }

  @Test
  void a_search_for_a_tag_looks_at_the_runs_that_have_it_alone() throws TimeoutException {
    ObjectNode found = await(search(broken(Map.of("number", "1")), () -> Duration.ZERO, null));

    assertThat(ids(found)).containsExactly(failed.get(1));
    assertThat(found.path("looked").path("runs").asInt()).isEqualTo(1);
    assertThat(found.path("looked").path("isCut").asBoolean()).isFalse();
  }

  private static RunSearch.Wanted broken(Map<String, String> tags) {
    return new RunSearch.Wanted(tags, "task_failed", "BROKEN", 50);
  }

  private Future<ObjectNode> search(RunSearch.Ticks ticks, String cursor) {
    return search(BROKEN, ticks, cursor);
  }

  private Future<ObjectNode> search(RunSearch.Wanted wanted, RunSearch.Ticks ticks, String cursor) {
    return new RunSearch(runlane.runs(), new RunBodies(Masks.NONE), ticks)
        .find(RunFilter.ALL, wanted, cursor, CALLER);
  }

  private static List<String> ids(JsonNode found) {
    List<String> ids = new ArrayList<>();
    found.get("data").forEach(run -> ids.add(run.path("id").asText()));
    return ids;
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(60, SECONDS);
  }
}
