package dev.runlane.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.observe.RefusedOutcome;
import dev.runlane.transport.DeliveryMessage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RunlaneMetricsTest {
  @Test
  void a_label_has_a_bounded_number_of_values_and_the_rest_is_other() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    RunlaneMetrics metrics =
        RunlaneMetrics.create(registry, new RunlaneMetricsOptions().setMostLabelValues(3));

    IntStream.range(0, 100)
        .forEach(role -> metrics.sweepEnded("role " + role, Duration.ofMillis(1), null));
    metrics.sweepEnded("role 1", Duration.ofMillis(1), null);

    assertThat(registry.find(MetricNames.SWEEP_DURATION).timers()).hasSize(4);
    assertThat(registry
            .get(MetricNames.SWEEP_DURATION)
            .tag(MetricNames.ROLE, "other")
            .timer()
            .count())
        .isEqualTo(97);
    assertThat(registry
            .get(MetricNames.SWEEP_DURATION)
            .tag(MetricNames.ROLE, "role 1")
            .timer()
            .count())
        .isEqualTo(2);
  }

  @Test
  void a_failure_of_somebody_elses_is_labelled_with_its_class_and_never_with_its_message() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    RunlaneMetrics metrics = RunlaneMetrics.create(registry);

    metrics.sweepEnded("scheduler", Duration.ofMillis(1), new IllegalStateException("secret 1"));

    assertThat(registry.get(MetricNames.SWEEPS_FAILED).counter().getId().getTag(MetricNames.ERROR))
        .isEqualTo("IllegalStateException");
  }

  @Test
  void a_stopped_worker_takes_its_slots_along() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    RunlaneMetrics metrics = RunlaneMetrics.create(registry);
    metrics.workerStarted("one", Set.of("default"), 5);
    metrics.workerStarted("two", Set.of("default"), 7);

    metrics.workerStopped("one");

    assertThat(registry.get(MetricNames.SLOTS_FREE).gauge().value()).isEqualTo(7);
  }

  @Test
  void of_workers_with_one_id_one_that_stops_leaves_the_others_their_slots() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    RunlaneMetrics metrics = RunlaneMetrics.create(registry);
    metrics.workerStarted("one", Set.of("mails"), 5);
    metrics.workerStarted("one", Set.of("reports"), 5);
    assertThat(registry.get(MetricNames.SLOTS_FREE).gauge().value()).isEqualTo(10);

    metrics.workerStopped("one");
    assertThat(registry.get(MetricNames.SLOTS_FREE).gauge().value()).isEqualTo(5);

    metrics.workerStopped("one");
    assertThat(registry.get(MetricNames.SLOTS_FREE).gauge().value()).isZero();
  }

  @Test
  void the_slots_of_a_runtime_that_was_started_again_are_shown_not_those_before() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    RunlaneMetrics before = RunlaneMetrics.create(registry);
    before.workerStarted("one", Set.of("default"), 5);
    before.workerStopped("one");

    RunlaneMetrics.create(registry).workerStarted("one", Set.of("default"), 7);

    assertThat(registry.get(MetricNames.SLOTS_FREE).gauge().value()).isEqualTo(7);
  }

  @Test
  void wakeups_that_were_given_up_are_counted_from_zero_on_once_one_of_the_queue_has_failed() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    RunlaneMetrics metrics = RunlaneMetrics.create(registry);
    DeliveryMessage wakeup =
        new DeliveryMessage(new Environment("default"), "r1", "mails", Instant.EPOCH, null);
    FailureRecord failure =
        new FailureRecord(ErrorCode.TRANSPORT_PUBLISH_FAILED, "refused", true, null);

    metrics.wakeupFailed(wakeup, failure, false);
    assertThat(registry.get(MetricNames.DEAD_LETTERED).counter().count()).isZero();

    metrics.wakeupFailed(wakeup, failure, true);
    assertThat(registry.get(MetricNames.DEAD_LETTERED).counter().count()).isEqualTo(1);
    assertThat(registry.get(MetricNames.PUBLISH_FAILED).counter().count()).isEqualTo(2);
  }

  @Test
  void outcomes_that_are_refused_are_counted_at_each_try_and_shown_until_they_are_stored() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    RunlaneMetrics metrics = RunlaneMetrics.create(registry);
    metrics.outcomeRefused(refused("r1", 1));
    metrics.outcomeRefused(refused("r1", 2));
    metrics.outcomeRefused(refused("r2", 1));

    assertThat(registry.get(MetricNames.OUTCOMES_WAITING).gauge().value()).isEqualTo(2);
    assertThat(registry
            .get(MetricNames.OUTCOMES_REFUSED)
            .tag(MetricNames.TASK, "mails.send")
            .tag(MetricNames.ERROR, "internal_error")
            .counter()
            .count())
        .isEqualTo(3);

    metrics.refusalEnded(refused("r1", 2));
    assertThat(registry.get(MetricNames.OUTCOMES_WAITING).gauge().value()).isEqualTo(1);

    RunlaneMetrics.create(registry).outcomeRefused(refused("r3", 1));
    assertThat(registry.get(MetricNames.OUTCOMES_WAITING).gauge().value())
        .as("of the runtime that was started again")
        .isEqualTo(1);
  }

  private static RefusedOutcome refused(String runId, int times) {
    return new RefusedOutcome(
        runId,
        "mails.send",
        "mails",
        "w",
        1,
        Instant.EPOCH,
        times,
        ErrorCode.INTERNAL_ERROR,
        "refused");
  }

  @Test
  void options_are_read_from_json_and_checked() {
    RunlaneMetricsOptions options = new RunlaneMetricsOptions(
        new JsonObject().put("mostLabelValues", 7).put("histograms", false));

    assertThat(options.getMostLabelValues()).isEqualTo(7);
    assertThat(options.isHistograms()).isFalse();
    assertThatThrownBy(() -> options.setMostLabelValues(0)).isInstanceOf(RunlaneException.class);
  }
}
