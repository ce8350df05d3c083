package dev.runlane.conformance.steps;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import dev.runlane.steps.delivery.StepResultDelivery;
import dev.runlane.steps.delivery.StepResultReceiver;
import dev.runlane.steps.delivery.StepVerdict;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.StepTask;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Results reach the engine that knows their runs, each on its own. */
@DisplayName("delivering results")
public abstract class StepDeliveryConformance extends StepTransportConformance {
  private final ConcurrentLinkedQueue<StepResultDelivery> started = new ConcurrentLinkedQueue<>();
  private final Map<StepResultDelivery, Context> homes = new ConcurrentHashMap<>();

  /** Stops what the case started, before its transports are closed. */
  @AfterEach
  final void stopDeliveries() {
    started.forEach(each -> Outcomes.done(on(homes.get(each), each::stop)));
  }

  @Test
  @Rule("P60")
  void every_result_of_a_known_run_is_received_once_and_goes() {
    List<StepTask> steps = steps(40);
    completeAll(steps.subList(0, 20));
    Engine engine = new Engine(steps, result -> Future.succeededFuture(StepVerdict.settle()));
    Engine second = new Engine(steps, result -> Future.succeededFuture(StepVerdict.settle()));
    second.seen = engine.seen;
    second.all = engine.all;
    start(0, engine);
    start(1, second);

    completeAll(steps.subList(20, 40));

    Outcomes.done(engine.all.future());
    assertThat(engine.seen.values()).containsOnly(1);
    Outcomes.done(gone());
  }

  @Test
  @Rule("P61")
  void a_result_that_the_engine_fails_to_take_comes_again_and_delays_no_other() {
    List<StepTask> steps = steps(10);
    Promise<Void> others = Promise.promise();
    Set<String> taken = ConcurrentHashMap.newKeySet();
    Engine engine = new Engine(steps, result -> {
      String stepId = result.result().stepId();
      if (stepId.equals("run_3:0") && !others.future().isComplete()) {
        return Future.failedFuture(new IllegalStateException("not yet"));
      }
      if (taken.add(stepId) && taken.size() == 9) {
        others.complete();
      }
      return Future.succeededFuture(StepVerdict.settle());
    });
    completeAll(steps);

    start(0, engine);

    Outcomes.done(others.future());
    Outcomes.done(gone());
    assertThat(taken).hasSize(10);
    assertThat(engine.seen.get("run_3:0")).isGreaterThan(1);
  }

  @Test
  @Rule("P61")
  void a_result_that_takes_long_delays_no_other() {
    List<StepTask> steps = steps(10);
    Promise<StepVerdict> slow = Promise.promise();
    Engine engine = new Engine(
        steps,
        result -> result.result().stepId().equals("run_0:0")
            ? slow.future()
            : Future.succeededFuture(StepVerdict.settle()));
    completeAll(steps);

    start(0, engine);

    Outcomes.done(engine.all.future());
    slow.complete(StepVerdict.settle());
    Outcomes.done(gone());
  }

  @Test
  @Rule("P62")
  void two_stores_on_one_transport_never_take_each_others_results() {
    List<StepTask> mine = steps(30);
    List<StepTask> theirs = steps(60).subList(30, 60);
    Engine engine = new Engine(mine, result -> Future.succeededFuture(StepVerdict.settle()));
    Engine stranger = new Engine(theirs, result -> Future.succeededFuture(StepVerdict.settle()));
    completeAll(theirs);
    completeAll(mine);
    start(0, engine);

    Outcomes.done(engine.all.future());
    assertThat(listed(Clock.system().now()).stream().map(ref -> ref.runId()))
        .as("what is not known is left")
        .containsAll(theirs.stream().map(StepTask::runId).toList());
    start(1, stranger);

    Outcomes.done(stranger.all.future());
    assertThat(engine.seen).hasSize(30);
    Outcomes.done(gone());
  }

  @Test
  @Rule("P63")
  void the_next_attempt_follows_the_result() {
    StepTask step = step("run_1");
    Engine engine = new Engine(
        List.of(step),
        result -> Future.succeededFuture(StepVerdict.settleAndDispatch(step.next())));
    complete(step, NOON);

    start(0, engine);

    Outcomes.done(gone());
    assertThat(claimedOne(Clock.system().now()).task()).isEqualTo(step.next());
  }

  @Test
  @Rule("P63")
  void a_retry_waits_until_another_worker_has_taken_its_task_away() {
    StepTask step = step("run_1");
    dispatch(NOON, step);
    ClaimedStepTask task = claimedOne(NOON);
    Outcomes.done(fixture.putResult(resultOf(step, DONE, after(1))));
    Engine engine = new Engine(
        List.of(step),
        result -> Future.succeededFuture(StepVerdict.settleAndDispatch(step.next())));
    start(0, engine);
    Outcomes.done(engine.all.future());

    record(after(2), ended(task, DONE));

    Outcomes.done(gone());
    assertThat(claimedOne(Clock.system().now()).task()).isEqualTo(step.next());
  }

  private void completeAll(List<StepTask> steps) {
    steps.forEach(step -> complete(step, NOON));
  }

  private void start(int context, Engine engine) {
    Context home = contexts.get(context);
    StepTransport used = transportOf(context);
    Outcomes.done(on(home, () -> {
      StepResultDelivery delivery = new StepResultDelivery(
          used,
          engine,
          "engine",
          new StepDeliveryOptions()
              .setLongestPause(Duration.ofMillis(100))
              .setPageSize(7)
              .setMostInFlight(5)
              .setForeignGrace(Duration.ofDays(36_500)),
          Clock.system(),
          Timers.of(home.owner()));
      started.add(delivery);
      homes.put(delivery, home);
      delivery.start();
      return Future.succeededFuture();
    }));
  }

  /** Completes when no result is left, claimed or not; looks again and again. */
  private Future<Void> gone() {
    Promise<Void> gone = Promise.promise();
    Context context = contexts.get(2);
    Timers timers = Timers.of(context.owner());
    context.runOnContext(turn -> lookUntilGone(timers, gone));
    return gone.future();
  }

  private void lookUntilGone(Timers timers, Promise<Void> gone) {
    transport
        .listStepResults(
            new ListStepResults(Clock.system().now().plus(LEASE.multipliedBy(10)), LEASE, null, 1))
        .onFailure(gone::tryFail)
        .onSuccess(left -> {
          if (left.isEmpty()) {
            gone.tryComplete();
          } else {
            timers.schedule(Duration.ofMillis(20), () -> lookUntilGone(timers, gone));
          }
        });
  }

  private static Future<Void> on(@Nullable Context context, Supplier<Future<Void>> call) {
    Promise<Void> promise = Promise.promise();
    if (context == null) {
      return Future.succeededFuture();
    }
    context.runOnContext(turn -> call.get().onComplete(promise));
    return promise.future();
  }

  /** An engine whose store knows the runs of some steps. */
  private static final class Engine implements StepResultReceiver {
    private final Set<String> runs = new HashSet<>();
    private final int expected;
    private final Function<ClaimedStepResult, Future<StepVerdict>> verdict;
    private Map<String, Integer> seen = new ConcurrentHashMap<>();
    private Promise<Void> all = Promise.promise();

    Engine(List<StepTask> steps, Function<ClaimedStepResult, Future<StepVerdict>> verdict) {
      steps.forEach(step -> runs.add(step.runId()));
      this.expected = steps.size();
      this.verdict = verdict;
    }

    @Override
    public Future<Set<String>> knownRuns(Set<String> runIds) {
      Set<String> known = new HashSet<>(runIds);
      known.retainAll(runs);
      return Future.succeededFuture(known);
    }

    @Override
    public Future<StepVerdict> receive(ClaimedStepResult result) {
      seen.merge(result.result().stepId(), 1, Integer::sum);
      if (seen.size() == expected) {
        all.tryComplete();
      }
      return verdict.apply(result);
    }
  }
}
