package dev.runlane.steps.sql.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepChecks;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A lease of 30 s, and a database that does with renewals and results what the test says. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HeldTasksTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration MOMENT = Duration.ofMillis(1);
  private static final StepOutcome ANSWER = new StepOutcome.Completed(Json.ofChecked("7"));

  private final ManualClock clock = ManualClock.at(Instant.parse("2026-03-04T12:00:00Z"));
  private final ManualTimers timers = new ManualTimers(clock);
  private final List<StepOutcome> offered = new ArrayList<>();
  private HeldTasks held;
  private final StepCall call = new StepCall(StepTask.first("run_1", 0, "echo", null));

  /** A task whose claim was sent {@code ago}. */
  private void hold(Duration ago, Function<RenewStepTasks, Future<Set<String>>> renewal) {
    timers.advance(ago);
    StepTransport transport = (StepTransport) Proxy.newProxyInstance(
        StepTransport.class.getClassLoader(),
        new Class<?>[] {StepTransport.class},
        (proxy, method, arguments) -> renewal.apply((RenewStepTasks) arguments[0]));
    held = new HeldTasks(transport, LEASE, clock, timers, () -> {});
    held.start();
    held.add(new StepClaim("run_1:0", "token"), call, timers.elapsed().minus(ago));
  }

  /** A task whose results meet these answers, the last of them for ever. */
  private HeldTask holdRecording(List<Future<RecordOutcome>> answers) {
    return holdRecording(answers, HeldTasksTest::granted);
  }

  private HeldTask holdRecording(
      List<Future<RecordOutcome>> answers, Function<RenewStepTasks, Future<Set<String>>> renewals) {
    Iterator<Future<RecordOutcome>> next = answers.iterator();
    Future<RecordOutcome> last = answers.get(answers.size() - 1);
    StepTransport transport = (StepTransport) Proxy.newProxyInstance(
        StepTransport.class.getClassLoader(),
        new Class<?>[] {StepTransport.class},
        (proxy, method, arguments) -> {
          if (arguments[0] instanceof RenewStepTasks renewal) {
            return renewals.apply(renewal);
          }
          offered.add(((RecordStepResults) arguments[0]).results().get(0).outcome());
          return (next.hasNext() ? next.next() : last).map(List::of);
        });
    held = new HeldTasks(transport, LEASE, clock, timers, () -> {});
    held.start();
    return held.add(new StepClaim("run_1:0", "token"), call, timers.elapsed());
  }

  private static Future<RecordOutcome> refused(ErrorCode code) {
    return Future.failedFuture(RunlaneException.of(code, "refused"));
  }

  @Test
  void an_answer_that_is_refused_for_a_reason_nobody_knows_is_offered_again_as_it_is() {
    HeldTask task = holdRecording(List.of(
        refused(ErrorCode.INTERNAL_ERROR),
        Future.failedFuture(new IllegalStateException("of the driver")),
        refused(ErrorCode.INTERNAL_ERROR),
        Future.succeededFuture(RecordOutcome.RECORDED)));

    held.record(task, ANSWER, clock.now());
    timers.advance(Duration.ofSeconds(10));

    assertThat(offered).containsExactly(ANSWER, ANSWER, ANSWER, ANSWER);
    assertThat(held.size()).isZero();
  }

  @Test
  void an_answer_that_is_refused_for_a_whole_lease_is_given_up_and_never_replaced() {
    HeldTask task = holdRecording(List.of(refused(ErrorCode.INTERNAL_ERROR)));

    held.record(task, ANSWER, clock.now());
    timers.advance(LEASE.minus(MOMENT));
    assertThat(held.size()).isEqualTo(1);
    timers.advance(Duration.ofSeconds(5));

    assertThat(held.size()).isZero();
    assertThat(offered).containsOnly(ANSWER);
  }

  @Test
  void an_answer_that_the_tables_cannot_hold_fails_its_step_at_once() {
    for (ErrorCode code :
        List.of(ErrorCode.VALIDATION_FAILED, ErrorCode.ADAPTER_CONTRACT_VIOLATION)) {
      offered.clear();
      HeldTask task =
          holdRecording(List.of(refused(code), Future.succeededFuture(RecordOutcome.RECORDED)));

      held.record(task, ANSWER, clock.now());

      assertThat(offered).hasSize(2).first().isEqualTo(ANSWER);
      assertThat(offered.get(1))
          .isInstanceOfSatisfying(
              StepOutcome.Failed.class,
              failed -> assertThat(failed.error().code()).isEqualTo("unrecordable_result"));
      assertThat(held.size()).isZero();
    }
  }

  private void assertLostAfter(Duration left) {
    timers.advance(left.minus(MOMENT));
    assertThat(call.isLeaseLost()).isFalse();
    timers.advance(MOMENT);
    assertThat(call.isLeaseLost()).isTrue();
  }

  private static Future<Set<String>> granted(RenewStepTasks command) {
    return Future.succeededFuture(
        command.claims().stream().map(StepClaim::stepId).collect(Collectors.toSet()));
  }

  private static Future<Set<String>> outOfReach() {
    return Future.failedFuture(RunlaneException.unavailable(
        ErrorCode.TRANSPORT_UNAVAILABLE, null, "the database is out of reach"));
  }

  @Test
  void a_handler_is_told_when_its_lease_ends_though_no_renewal_is_answered() {
    hold(Duration.ofSeconds(4), command -> Promise.<Set<String>>promise().future());

    assertLostAfter(LEASE.minusSeconds(4));
  }

  @Test
  void a_handler_is_told_when_its_lease_ends_while_every_renewal_fails() {
    hold(Duration.ZERO, command -> outOfReach());

    assertLostAfter(LEASE);
  }

  @Test
  void a_renewed_lease_counts_from_when_its_renewal_was_sent() {
    List<Duration> sentAt = new ArrayList<>();
    Promise<Set<String>> renewal = Promise.promise();
    hold(Duration.ofSeconds(2), command -> {
      sentAt.add(timers.elapsed());
      return sentAt.size() == 1
          ? renewal.future()
          : Promise.<Set<String>>promise().future();
    });

    timers.advance(Duration.ofSeconds(4));
    assertThat(sentAt).hasSize(1);
    renewal.complete(Set.of("run_1:0"));

    assertLostAfter(sentAt.get(0).plus(LEASE).minus(timers.elapsed()));
  }

  @Test
  void a_renewal_that_comes_behind_its_record_tells_no_handler_of_a_loss() {
    Promise<RecordOutcome> recorded = Promise.promise();
    HeldTask task = holdRecording(
        List.of(recorded.future()), command -> Future.succeededFuture(Set.<String>of()));
    held.record(task, ANSWER, clock.now());

    timers.advance(HeldTasks.renewEvery(LEASE));
    recorded.complete(RecordOutcome.RECORDED);

    assertThat(call.isLeaseLost()).isFalse();
    assertThat(held.size()).isZero();
  }

  @Test
  void a_lease_that_is_renewed_goes_on_wherever_the_clock_jumps() {
    hold(Duration.ZERO, HeldTasksTest::granted);

    clock.advance(Duration.ofHours(5));
    timers.advance(Duration.ofMinutes(5));

    assertThat(call.isLeaseLost()).isFalse();
  }

  @Test
  void a_task_that_no_command_may_name_takes_no_other_its_lease() {
    StepCall unnamed = new StepCall(new StepTask("", "run_2", 0, "echo", "echo", null, 1));
    hold(Duration.ZERO, command -> {
      StepChecks.check(command);
      return granted(command);
    });
    held.add(new StepClaim("", "token"), unnamed, timers.elapsed());

    timers.advance(LEASE.multipliedBy(2));

    assertThat(call.isLeaseLost()).isFalse();
    assertThat(unnamed.isLeaseLost()).isTrue();
  }
}
