package dev.runlane.runtime.attempt;

import static dev.runlane.runtime.Fleet.done;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.memory.MemoryTransport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.MDC;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.spi.MDCAdapter;

/** Run, task and attempt are in the log's MDC in each turn that the runtime begins, and not after it. */
@Isolated
class AttemptExecutorTest {
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private MDCAdapter before;

  /** The tests' logger keeps no MDC. */
  @BeforeEach
  void keepMdc() throws ReflectiveOperationException {
    before = adapter(new BasicMDCAdapter());
  }

  @AfterEach
  void forgetMdc() throws ReflectiveOperationException {
    adapter(before);
  }

  private static MDCAdapter adapter(MDCAdapter next) throws ReflectiveOperationException {
    MDC.clear(); // makes the adapter
    for (Field field : MDC.class.getDeclaredFields()) {
      if (field.getType() == MDCAdapter.class) {
        field.setAccessible(true);
        MDCAdapter old = (MDCAdapter) field.get(null);
        field.set(null, next);
        return old;
      }
    }
    throw new AssertionError("the MDC has no adapter");
  }

  private void look(String where) {
    seen.add(where + " " + MDC.get("run") + " " + MDC.get("task") + " " + MDC.get("attempt"));
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  @Test
  void on_an_event_loop_in_a_step_and_on_a_thread_that_may_block() {
    Task<String> onLoop = Task.define("loop", String.class).handler((payload, context) -> {
      look("handler");
      return context
          .step("one", String.class, () -> {
            look("step");
            return Future.succeededFuture("done");
          })
          .map(answer -> {
            look("answer");
            return TaskResult.done();
          });
    });
    Task<String> blocking = Task.define("blocking", String.class)
        .blockingHandler((payload, context) -> {
          look("thread");
          return TaskResult.done();
        });
    Vertx vertx = Vertx.vertx();
    try {
      Runlane runlane = Runlane.builder(
              vertx, Lanes.create(new MemoryStorage(), new MemoryTransport()))
          .queue(TaskQueue.of("default").asDefault())
          .task(onLoop)
          .task(blocking)
          .build();
      await(runlane.start());
      String first = await(runlane.trigger(onLoop, "x")).run().id();
      await(runlane.executeNext());
      String second = await(runlane.trigger(blocking, "x")).run().id();
      await(runlane.executeNext());

      assertThat(await(runlane.awaitRun(second, Duration.ofSeconds(60))).status())
          .isEqualTo(RunStatus.SUCCEEDED);
      assertThat(seen)
          .containsExactly(
              "handler " + first + " loop 1",
              "step " + first + " loop 1",
              "answer " + first + " loop 1",
              "thread " + second + " blocking 1");
      await(runlane.close());
    } finally {
      await(vertx.close());
    }
  }

  @Test
  void a_turn_leaves_what_it_found() {
    Fleet fleet = new Fleet();
    Task<String> inner = Task.define("inner", String.class).handler((payload, context) -> {
      look("inner");
      return Future.succeededFuture(TaskResult.done());
    });
    Runlane runlane = fleet.process(inner);
    String runId = done(runlane.trigger(inner, "x")).run().id();
    MDC.put("run", "mine");

    done(runlane.executeNext());

    assertThat(seen).containsExactly("inner " + runId + " inner 1");
    assertThat(MDC.get("run")).isEqualTo("mine");
    assertThat(MDC.get("task")).isNull();
    MDC.clear();
  }
}
