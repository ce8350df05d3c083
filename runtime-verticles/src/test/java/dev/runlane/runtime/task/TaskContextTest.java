package dev.runlane.runtime.task;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a handler learns from its context, and does with it. */
class TaskContextTest {
  private static final Map<String, String> TRACE = Map.of("traceparent", "00-1-2-01");
  private static final Map<String, String> OTHER_TRACE = Map.of("traceparent", "00-3-4-01");

  private final Fleet fleet = new Fleet();
  private final AtomicReference<TaskContext> context = new AtomicReference<>();
  private final Promise<TaskResult> work = Promise.promise();
  private final Task<String> child = Task.define("child", String.class)
      .handler((payload, given) -> Future.succeededFuture(TaskResult.done()));
  private final Task<String> task = Task.define("task", String.class).handler((payload, given) -> {
    context.set(given);
    return given.untilSignalled(work.future());
  });
  private final Runlane runlane = fleet.process(task, child);

  private RunRecord begin(TriggerOptions options) {
    RunRecord run = done(runlane.trigger(task, "x", options)).run();
    runlane.executeNext();
    return run;
  }

  @Test
  void it_names_the_run_and_where_it_belongs() {
    RunRecord run = begin(new TriggerOptions());

    assertThat(context.get().environment()).isEqualTo(run.environment());
    assertThat(context.get().runId()).isEqualTo(run.id());
    assertThat(context.get().taskId()).isEqualTo("task");
    assertThat(context.get().queue()).isEqualTo("default");
    assertThat(context.get().attempt()).isEqualTo(1);
    assertThat(context.get().failures()).isZero();
    assertThat(context.get().traceCarrier()).isEmpty();
  }

  @Test
  void work_that_fails_before_any_signal_fails_as_itself() {
    RunRecord run = begin(new TriggerOptions());

    work.fail(new IllegalStateException("no"));

    assertThat(context.get().isSignalled()).isFalse();
    assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(RunStatus.FAILED);
    assertThat(fleet.run(runlane, run.id()).failure().message()).isEqualTo("Task failed.");
  }

  @Test
  void a_run_it_triggers_without_options_belongs_to_its_trace() {
    begin(new TriggerOptions().setTraceCarrier(TRACE));

    RunRecord triggered = done(context.get().trigger(child, "y")).run();

    assertThat(triggered.traceCarrier()).isEqualTo(TRACE);
    assertThat(triggered.taskId()).isEqualTo("child");
  }

  @Test
  void a_run_it_triggers_in_another_trace_stays_there() {
    begin(new TriggerOptions().setTraceCarrier(TRACE));
    TriggerOptions options = new TriggerOptions().setTraceCarrier(OTHER_TRACE);

    RunRecord triggered = done(context.get().trigger(child, "y", options)).run();

    assertThat(triggered.traceCarrier()).isEqualTo(OTHER_TRACE);
  }

  @Test
  void a_run_it_triggers_without_any_trace_has_none() {
    begin(new TriggerOptions());
    TriggerOptions options = new TriggerOptions();

    RunRecord triggered = done(context.get().trigger(child, "y", options)).run();

    assertThat(triggered.traceCarrier()).isNull();
    assertThat(options.getTraceCarrier()).as("the caller's options").isEmpty();
  }

  @Test
  void a_result_it_waited_for_is_not_kept_while_the_attempt_goes_on() {
    begin(new TriggerOptions());

    WeakReference<byte[]> page = pageThatWasWaitedFor();
    for (int look = 0; look < 100 && page.get() != null; look++) {
      System.gc();
    }

    assertThat(page.get()).isNull();
  }

  @Test
  void all_it_waits_for_is_given_up_in_the_order_in_which_it_began_to_wait() {
    RunRecord run = begin(new TriggerOptions());
    List<Integer> givenUp = new ArrayList<>();
    for (int wait = 0; wait < 20; wait++) {
      int number = wait;
      context
          .get()
          .untilSignalled(Promise.promise().future())
          .onFailure(why -> givenUp.add(number));
    }

    done(runlane.runs().cancel(run.id(), new RunActionOptions()));

    assertThat(givenUp).hasSize(20).isSorted();
  }

  private WeakReference<byte[]> pageThatWasWaitedFor() {
    Promise<byte[]> reading = Promise.promise();
    Future<byte[]> read = context.get().untilSignalled(reading.future());
    byte[] page = new byte[1_000];
    reading.complete(page);
    assertThat(done(read)).isSameAs(page);
    return new WeakReference<>(page);
  }

  @Test
  void all_it_waits_for_is_given_up_with_the_signal_though_callbacks_throw() {
    RunRecord run = begin(new TriggerOptions());
    List<Throwable> givenUp = new ArrayList<>();
    for (int wait = 0; wait < 3; wait++) {
      context.get().untilSignalled(Promise.promise().future()).onFailure(why -> {
        givenUp.add(why);
        throw new IllegalStateException("a broken callback");
      });
    }

    done(runlane.runs().cancel(run.id(), new RunActionOptions()));

    assertThat(givenUp).hasSize(3);
    assertThat(context.get().untilSignalled(Promise.promise().future()).failed())
        .as("who begins to wait after the signal does not wait")
        .isTrue();
  }
}
