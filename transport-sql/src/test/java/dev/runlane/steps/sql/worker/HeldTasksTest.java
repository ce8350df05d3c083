package dev.runlane.steps.sql.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepTransport;
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
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A lease of 30 s, and a database that does with renewals what the test says. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HeldTasksTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final ManualClock clock = ManualClock.at(Instant.parse("2026-03-04T12:00:00Z"));
  private final ManualTimers timers = new ManualTimers(clock);
  private final StepCall call = new StepCall(StepTask.first("run_1", 0, "echo", null));

  /** A task whose claim was sent {@code ago}. */
  private void hold(Duration ago, Function<RenewStepTasks, Future<Set<String>>> renewal) {
    timers.advance(ago);
    StepTransport transport = (StepTransport) Proxy.newProxyInstance(
        StepTransport.class.getClassLoader(),
        new Class<?>[] {StepTransport.class},
        (proxy, method, arguments) -> renewal.apply((RenewStepTasks) arguments[0]));
    HeldTasks held = new HeldTasks(transport, LEASE, clock, timers, () -> {});
    held.start();
    held.add(new StepClaim("run_1:0", "token"), call, timers.elapsed().minus(ago));
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
  void a_lease_that_is_renewed_goes_on_wherever_the_clock_jumps() {
    hold(Duration.ZERO, HeldTasksTest::granted);

    clock.advance(Duration.ofHours(5));
    timers.advance(Duration.ofMinutes(5));

    assertThat(call.isLeaseLost()).isFalse();
  }
}
