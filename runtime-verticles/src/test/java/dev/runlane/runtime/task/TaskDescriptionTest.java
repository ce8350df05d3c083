package dev.runlane.runtime.task;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.TickOptions;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskDescriptionTest {
  private static final TaskQueue PAYMENTS = TaskQueue.of("payments");

  private final Fleet fleet = new Fleet();
  private final TaskDescription<Integer> charge = Task.define("charge", Integer.class)
      .queue(PAYMENTS)
      .idempotencyKey(cents -> "of " + cents)
      .retry(RetryPolicy.attempts(3))
      .description();
  private final Task<Integer> task =
      charge.handler((cents, context) -> Future.succeededFuture(TaskResult.done(2 * cents)));

  private Runlane process(TaskDescription<?>... tasks) {
    return fleet.process(new RunlaneOptions(), List.of(PAYMENTS), tasks);
  }

  private Runlane working(TaskDescription<?>... tasks) {
    Runlane runlane = process(tasks);
    done(runlane.worker(new WorkerOptions()));
    return runlane;
  }

  @Test
  void a_runtime_with_the_description_alone_triggers_and_another_one_with_the_handler_works() {
    Runlane shop = process(charge);
    working(task);

    RunRecord run = done(shop.trigger(charge, 21)).run();
    fleet.settle();

    assertThat(run.queue()).isEqualTo("payments");
    assertThat(fleet.run(shop, run.id()).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(fleet.run(shop, run.id()).output().text()).isEqualTo("42");
    assertThat(done(shop.trigger(charge, 21)).outcome())
        .isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
  }

  @Test
  void a_worker_never_claims_runs_of_a_task_without_a_handler() {
    Task<Integer> other = Task.define("other", Integer.class)
        .queue(PAYMENTS)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane shop = working(charge, other);

    RunRecord left = done(shop.trigger(charge, 1)).run();
    RunRecord done = done(shop.trigger(other, 1)).run();
    fleet.pass(Duration.ofMinutes(5));

    assertThat(fleet.run(shop, left.id()).status()).isEqualTo(RunStatus.QUEUED);
    assertThat(fleet.run(shop, left.id()).counters().attempts()).isZero();
    assertThat(fleet.run(shop, done.id()).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(done(shop.executeNext())).isEmpty();
    assertThat(done(shop.runs().explain(left.id())).reasons())
        .anyMatch(reason -> reason.code() == Code.NO_TASK);
  }

  @Test
  void what_needs_the_handler_is_refused_without_it_and_stores_nothing() {
    Runlane shop = process(charge);
    RunRecord run = done(shop.trigger(charge, 1)).run();

    assertFails(ErrorCode.TASK_NOT_FOUND, shop.runNow(charge, 2));
    assertFails(
        ErrorCode.TASK_NOT_FOUND,
        shop.executeDelivery(
            new DeliveryMessage(run.environment(), run.id(), run.queue(), Fleet.NOON, null)));

    assertThat(fleet.run(shop, run.id())).isEqualTo(run);
    assertThat(done(shop.trigger(charge, 2)).outcome()).isEqualTo(TriggerOutcome.CREATED);
  }

  @Test
  void a_runtime_with_the_handler_takes_the_description_and_the_task_alike() {
    Runlane runlane = process(task);

    RunRecord first = done(runlane.trigger(charge, 1)).run();
    RunRecord second = done(runlane.trigger(task, 2)).run();
    RunRecord third = done(runlane.runNow(charge, 3)).run();

    assertThat(List.of(first, second, third)).extracting(RunRecord::taskId).containsOnly("charge");
    assertThat(third.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(task.description()).isSameAs(charge);
  }

  @Test
  void another_description_of_the_same_id_is_not_this_runtimes() {
    TaskDescription<Integer> another =
        Task.define("charge", Integer.class).queue(PAYMENTS).description();

    assertFails(ErrorCode.TASK_NOT_FOUND, process(task).trigger(another, 1));
    assertFails(ErrorCode.TASK_NOT_FOUND, process(charge).trigger(another, 1));
  }

  @Test
  void a_definition_that_is_changed_later_does_not_change_its_description() {
    Task.Definition<Integer> definition = Task.define("charge", Integer.class).queue(PAYMENTS);
    TaskDescription<Integer> before = definition.description();
    definition.queue(TaskQueue.of("other")).schedule(Schedule.every("s", Duration.ofHours(1)));

    assertThat(before.queue()).contains(PAYMENTS);
    assertThat(before.schedules()).isEmpty();
    assertThat(before.blockingHandler((number, context) -> TaskResult.done()).queue())
        .contains(PAYMENTS);
  }

  @Test
  void schedules_of_a_description_fire_where_nobody_works_on_them() {
    TaskDescription<Void> nightly = Task.define("nightly", Void.class)
        .queue(PAYMENTS)
        .schedule(Schedule.every("hourly", Duration.ofHours(1)))
        .description();
    Runlane shop = process(nightly);
    done(shop.tick(new TickOptions()));

    fleet.pass(Duration.ofHours(1));
    Future<?> ticked = shop.tick(new TickOptions());
    fleet.settle();

    done(ticked);
    assertThat(done(shop.runs().list(RunFilter.ALL)).data())
        .singleElement()
        .satisfies(run -> assertThat(run.status()).isEqualTo(RunStatus.QUEUED));
  }
}
