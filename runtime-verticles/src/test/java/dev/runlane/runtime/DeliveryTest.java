package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.IgnoredReason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeliveryTest {
  private final Fleet fleet = new Fleet();
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> {
        Promise<TaskResult> handler = Promise.promise();
        handlers.add(handler);
        return handler.future();
      });
  private final Runlane runlane = fleet.process(task);

  private RunRecord triggered(TriggerOptions options) {
    return done(runlane.trigger(task, "x", options)).run();
  }

  private void assertIgnored(IgnoredReason reason, DeliveryMessage message) {
    assertThat(done(runlane.executeDelivery(message)))
        .isEqualTo(new DeliveryResult.Ignored(reason));
  }

  @Test
  void a_wakeup_of_a_due_run_is_executed_whatever_its_outcome() {
    RunRecord run = triggered(new TriggerOptions());

    Future<DeliveryResult> delivery = runlane.executeDelivery(Fleet.wakeup(run));
    handlers.get(0).fail(new IllegalStateException("user code"));

    assertThat(done(delivery))
        .isInstanceOfSatisfying(
            DeliveryResult.Executed.class,
            executed -> assertThat(executed.run().status()).isEqualTo(RunStatus.FAILED));
  }

  @Test
  void wakeups_without_work_are_ignored_with_their_reason() {
    RunRecord run = triggered(new TriggerOptions());
    assertIgnored(
        IgnoredReason.NOT_FOUND,
        new DeliveryMessage(run.environment(), "run_unknown", run.queue(), Fleet.NOON, null));
    assertIgnored(
        IgnoredReason.NOT_FOUND,
        new DeliveryMessage(new Environment("other"), run.id(), run.queue(), Fleet.NOON, null));
    assertIgnored(
        IgnoredReason.NOT_FOUND,
        new DeliveryMessage(run.environment(), "a:b", run.queue(), Fleet.NOON, null));
    assertIgnored(
        IgnoredReason.WRONG_QUEUE,
        new DeliveryMessage(run.environment(), run.id(), "other", Fleet.NOON, null));
    assertIgnored(
        IgnoredReason.NOT_DUE,
        Fleet.wakeup(triggered(new TriggerOptions().setDelay(Duration.ofHours(1)))));

    Future<DeliveryResult> first = runlane.executeDelivery(Fleet.wakeup(run));
    assertIgnored(IgnoredReason.ALREADY_LEASED, Fleet.wakeup(run));
    handlers.get(0).complete(TaskResult.done());
    done(first);
    assertIgnored(IgnoredReason.TERMINAL, Fleet.wakeup(run));
  }

  @Test
  void a_run_asked_to_cancel_is_its_owners_even_after_its_lease() {
    RunRecord run = triggered(new TriggerOptions());
    Future<DeliveryResult> first = runlane.executeDelivery(Fleet.wakeup(run));
    done(runlane.runs().cancel(run.id(), new RunActionOptions()));

    assertIgnored(IgnoredReason.ALREADY_LEASED, Fleet.wakeup(run));
    fleet.clock.advance(Duration.ofMinutes(1));
    assertIgnored(IgnoredReason.ALREADY_LEASED, Fleet.wakeup(run));

    handlers.get(0).complete(TaskResult.done());
    assertThat(done(first))
        .isInstanceOfSatisfying(
            DeliveryResult.Executed.class,
            executed -> assertThat(executed.run().status()).isEqualTo(RunStatus.CANCELLED));
  }

  @Test
  void a_wakeup_of_a_run_whose_worker_died_takes_it_over_once_the_lease_is_over() {
    RunRecord run = triggered(new TriggerOptions());
    runlane.executeDelivery(Fleet.wakeup(run));
    Runlane other = fleet.process(task);
    fleet.clock.advance(Duration.ofMinutes(1));

    Future<DeliveryResult> taken = other.executeDelivery(Fleet.wakeup(run));

    assertThat(fleet.run(other, run.id()).counters().attempts()).isEqualTo(2);
    handlers.get(1).complete(TaskResult.done());
    assertThat(done(taken)).isInstanceOf(DeliveryResult.Executed.class);
  }

  @Test
  void a_claim_somebody_else_wins_is_ignored() {
    RunRecord run = triggered(new TriggerOptions());
    Runlane other = fleet.process(task);
    fleet.faults.before("claimRuns", () -> runlane.executeNext());

    Future<DeliveryResult> delivery = other.executeDelivery(Fleet.wakeup(run));

    assertThat(done(delivery)).isEqualTo(new DeliveryResult.Ignored(IgnoredReason.ALREADY_LEASED));
  }

  @Test
  void a_wakeup_of_a_run_that_somebody_holds_for_the_moment_is_not_used_up() {
    RunRecord run = triggered(new TriggerOptions());
    AtomicBoolean held = new AtomicBoolean(true);
    fleet.faults.passOverRunsWhile(held::get);

    Future<DeliveryResult> delivery = runlane.executeDelivery(Fleet.wakeup(run));
    fleet.pass(Duration.ofMillis(60));
    assertThat(delivery.isComplete()).isFalse();
    held.set(false);
    fleet.pass(Duration.ofMillis(100));
    handlers.get(0).complete(TaskResult.done());

    assertThat(done(delivery)).isInstanceOf(DeliveryResult.Executed.class);
  }

  @Test
  void a_run_that_somebody_holds_for_longer_is_left_to_the_safety_net() {
    RunRecord run = triggered(new TriggerOptions());
    fleet.faults.passOverRunsWhile(() -> true);

    Future<DeliveryResult> delivery = runlane.executeDelivery(Fleet.wakeup(run));
    fleet.pass(Duration.ofSeconds(2));

    assertThat(done(delivery)).isEqualTo(new DeliveryResult.Ignored(IgnoredReason.CLAIM_LOST));
    assertThat(fleet.faults.calls("claimRunLease")).as("tries").isEqualTo(6);
  }

  @Test
  void a_wakeup_from_a_clock_that_is_ahead_is_held_until_the_run_is_due() {
    RunRecord run = triggered(new TriggerOptions().setDelay(Duration.ofSeconds(2)));

    Future<DeliveryResult> delivery = runlane.executeDelivery(Fleet.wakeup(run));
    fleet.pass(Duration.ofSeconds(1));
    assertThat(delivery.isComplete()).isFalse();
    fleet.pass(Duration.ofSeconds(1));
    fleet.settle();
    handlers.get(0).complete(TaskResult.done());

    assertThat(done(delivery)).isInstanceOf(DeliveryResult.Executed.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2_000})
  void a_wakeup_of_a_run_that_was_made_by_a_clock_that_is_ahead_is_held_too(long millis) {
    Duration ahead = Duration.ofMillis(millis);
    fleet.clock.advance(ahead);
    RunRecord run = triggered(new TriggerOptions());
    fleet.clock.advance(ahead.negated());

    Future<DeliveryResult> delivery = runlane.executeDelivery(Fleet.wakeup(run));
    assertThat(delivery.isComplete()).isFalse();
    assertThat(handlers).isEmpty();
    fleet.pass(ahead);
    handlers.get(0).complete(TaskResult.done());

    assertThat(done(delivery)).isInstanceOf(DeliveryResult.Executed.class);
  }

  @Test
  void an_unregistered_task_fails_the_delivery_and_leaves_the_run_alone() {
    RunRecord run = triggered(new TriggerOptions());
    Runlane other = fleet.process();

    assertFails(ErrorCode.TASK_NOT_FOUND, other.executeDelivery(Fleet.wakeup(run)));

    assertThat(fleet.run(runlane, run.id())).isEqualTo(run);
  }

  @Test
  void a_storage_failure_propagates_so_that_the_wakeup_comes_again() {
    RunRecord due = triggered(new TriggerOptions());
    RunRecord notDue = triggered(new TriggerOptions().setDelay(Duration.ofHours(1)));
    fleet.faults.fail("claimRuns");
    assertFails(ErrorCode.STORAGE_UNAVAILABLE, runlane.executeDelivery(Fleet.wakeup(due)));
    fleet.faults.fail("getRuns");

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, runlane.executeDelivery(Fleet.wakeup(notDue)));
  }

  @Test
  void an_attempt_that_loses_its_lease_is_ignored_as_abandoned() {
    RunRecord run = triggered(new TriggerOptions());
    Future<DeliveryResult> delivery = runlane.executeDelivery(Fleet.wakeup(run));
    fleet.clock.advance(Duration.ofMinutes(1));
    Runlane other = fleet.process(task);
    other.executeNext();

    fleet.pass(Duration.ofSeconds(15));

    assertThat(done(delivery)).isEqualTo(new DeliveryResult.Ignored(IgnoredReason.ABANDONED));
  }
}
