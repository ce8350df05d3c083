package dev.runlane.steps.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.steps.StepChecks;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.timing.ManualTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StepResultDeliveryTest {
  private static final StepClaim CLAIM = new StepClaim("run_1:0", "engine/1");

  private final ManualTime time = ManualTime.at(Instant.parse("2026-01-01T12:00:00Z"));
  private final StepDeliveryOptions options = new StepDeliveryOptions().setPageSize(1);
  private final Promise<List<ClaimedStepResult>> claimed = Promise.promise();
  private final List<String> received = new ArrayList<>();
  private final List<ReleaseStepResults> released = new ArrayList<>();
  private final List<Optional<StepResultRef>> looks = new ArrayList<>(); // after which result
  private Duration ahead = Duration.ZERO; // how far the clock is wrong
  private boolean known = true;
  private List<String> stepIds = List.of("run_1:0"); // of the results that wait
  private Duration age = Duration.ZERO; // of those results
  private final List<List<String>> named = new ArrayList<>(); // by claims and discards
  private int blocked; // how often it is not settled yet
  private int settlements;
  private final StepResultDelivery delivery = new StepResultDelivery(
      transport(),
      new Engine(),
      "engine",
      options,
      () -> time.clock().now().plus(ahead),
      time.timers());

  /** Results of one run wait; whether their claim is answered is the test's to decide. */
  private StepTransport transport() {
    return (StepTransport) Proxy.newProxyInstance(
        StepTransport.class.getClassLoader(),
        new Class<?>[] {StepTransport.class},
        (proxy, method, arguments) -> switch (method.getName()) {
          case "signals" -> Optional.empty();
          case "listStepResults" -> {
            ListStepResults query = (ListStepResults) arguments[0];
            looks.add(Optional.ofNullable(query.after()));
            yield Future.succeededFuture(
                query.after() == null
                    ? stepIds.stream()
                        .map(id -> new StepResultRef(id, "run_1", query.now().minus(age)))
                        .toList()
                    : List.of());
          }
          case "claimStepResults" -> {
            ClaimStepResults command = (ClaimStepResults) arguments[0];
            StepChecks.check(command);
            named.add(command.stepIds());
            yield claimed.future();
          }
          case "discardStepResults" -> {
            DiscardStepResults command = (DiscardStepResults) arguments[0];
            StepChecks.check(command);
            named.add(command.stepIds());
            yield Future.succeededFuture(command.stepIds().size());
          }
          case "settleStepResults" -> {
            settlements++;
            yield Future.succeededFuture(
                List.of(blocked-- > 0 ? SettleOutcome.BLOCKED : SettleOutcome.SETTLED));
          }
          case "releaseStepResults" -> {
            released.add((ReleaseStepResults) arguments[0]);
            yield Future.succeededFuture();
          }
          default -> throw new AssertionError(method);
        });
  }

  @Test
  void stopping_waits_no_longer_than_the_lease_for_a_claim_that_is_not_answered() {
    delivery.start();
    time.advance(Duration.ofSeconds(1));

    Future<Void> stopped = delivery.stop();
    assertThat(stopped.isComplete()).isFalse();
    time.advance(options.getLease());

    assertThat(stopped.succeeded()).isTrue();
  }

  @Test
  void what_was_claimed_and_not_begun_is_given_back_on_stop() {
    delivery.start();
    time.advance(Duration.ofSeconds(1));
    Future<Void> stopped = delivery.stop();

    Instant now = time.clock().now();
    claimed.complete(List.of(result(now)));
    time.runDue();

    assertThat(received).isEmpty();
    assertThat(released)
        .containsExactly(
            new ReleaseStepResults(List.of(CLAIM), now, options.getLease(), Duration.ZERO));
    assertThat(stopped.succeeded()).isTrue();
  }

  @Test
  void a_result_in_whose_way_something_stands_for_very_long_is_settled_all_the_same() {
    blocked = 20_000;
    options.setLease(Duration.ofHours(1));
    StepResultDelivery patient = new StepResultDelivery(
        transport(), new Engine(), "engine", options, time.clock(), time.timers());
    claimed.complete(List.of(result(time.clock().now())));
    patient.poll();

    time.advance(Duration.ofMinutes(20));

    assertThat(settlements).isEqualTo(20_001);
    assertThat(patient.stop().succeeded()).as("nothing is in flight").isTrue();
  }

  private static ClaimedStepResult result(Instant at) {
    return new ClaimedStepResult(
        CLAIM, new StepResult("run_1:0", "run_1", 0, new StepOutcome.Completed(null), null, at));
  }

  @Test
  void results_of_others_are_looked_at_again_soon_after_the_clock_was_set_back() {
    ahead = Duration.ofDays(1);
    known = false;
    delivery.start();
    time.advance(Duration.ofSeconds(5));
    assertThat(looks.get(0)).isEmpty();
    assertThat(looks.subList(1, looks.size())).isNotEmpty().allMatch(Optional::isPresent);

    ahead = Duration.ZERO;
    looks.clear();
    time.advance(Duration.ofSeconds(30));

    assertThat(looks).contains(Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_result_whose_step_no_command_may_name_keeps_no_other_back(boolean isKnown) {
    known = isKnown;
    age = options.getForeignGrace().plusSeconds(1);
    stepIds = List.of("", "run_1:0", "\0", "s".repeat(192));

    Future<StepPoller.PollResult> looked = delivery.poll();
    claimed.complete(List.of());

    assertThat(looked.succeeded()).isTrue();
    assertThat(named).containsExactly(List.of("run_1:0"));
  }

  private final class Engine implements StepResultReceiver {
    @Override
    public Future<Set<String>> knownRuns(Set<String> runIds) {
      return Future.succeededFuture(known ? runIds : Set.of());
    }

    @Override
    public Future<StepVerdict> receive(ClaimedStepResult result) {
      received.add(result.claim().stepId());
      return Future.succeededFuture(StepVerdict.settle());
    }
  }
}
