package dev.runlane.runtime.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.TickOptions;
import dev.runlane.runtime.maintenance.CancellationFinalizerOptions;
import dev.runlane.runtime.maintenance.DispatcherOptions;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.remote.StepDispatcherOptions;
import dev.runlane.runtime.schedule.SchedulerOptions;
import dev.runlane.timing.Backoff;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SweepOptionsTest {
  private static final Function<JsonObject, SweepOptions<?>> PUBLISHER =
      OutboxPublisherOptions::new;
  private static final Function<JsonObject, SweepOptions<?>> DISPATCHER = DispatcherOptions::new;
  private static final Function<JsonObject, SweepOptions<?>> SCHEDULER = SchedulerOptions::new;
  private static final Function<JsonObject, SweepOptions<?>> FINALIZER =
      CancellationFinalizerOptions::new;
  private static final Function<JsonObject, SweepOptions<?>> STEPS = StepDispatcherOptions::new;
  private static final Function<JsonObject, SweepOptions<?>> RETENTION = RetentionOptions::new;

  @Test
  void the_defaults_are_those_of_the_contract() {
    assertThat(new OutboxPublisherOptions().toJson()).isEqualTo(new JsonObject("""
        {"idleDelay": "1s", "drainTimeout": "30s", "longestIdleDelay": "3s", "batchSize": 100, "claimDuration": "30s",
         "publishTimeout": "20s", "maxAttempts": 10, "backoffFirst": "1s", "backoffMost": "5m",
         "backoffJitter": 0.2, "gatherDelay": "5ms", "dueResolution": "50ms"}"""));
    assertThat(new DispatcherOptions().toJson()).isEqualTo(new JsonObject("""
        {"idleDelay": "1s", "drainTimeout": "30s", "longestIdleDelay": "3s", "sweepLimit": 100, "boundedDispatch": true,
         "gatherDelay": "5ms", "dueResolution": "50ms"}"""));
    assertThat(new SchedulerOptions().toJson()).isEqualTo(new JsonObject("""
        {"idleDelay": "1s", "drainTimeout": "30s", "sweepLimit": 100, "claimDuration": "1m",
         "skipTolerance": "2m", "longestRecheck": "1h",
         "definitionRefresh": "1m", "definitionKept": "1h"}"""));
    assertThat(new CancellationFinalizerOptions().toJson()).isEqualTo(new JsonObject("""
        {"idleDelay": "5s", "drainTimeout": "30s", "sweepLimit": 100}"""));
    assertThat(new StepDispatcherOptions().toJson()).isEqualTo(new JsonObject("""
        {"idleDelay": "1s", "drainTimeout": "30s", "sweepLimit": 200, "claimDuration": "30s",
         "checkInterval": "5m", "repeatDelay": "500ms"}"""));
    assertThat(new RetentionOptions().toJson()).isEqualTo(new JsonObject("""
        {"idleDelay": "5m", "drainTimeout": "30s", "batchSize": 500, "batchesPerSweep": 20,
         "actionsOlderThan": "2w"}"""));
  }

  static Stream<Arguments> changedOptions() {
    return Stream.of(
        Arguments.of(
            PUBLISHER,
            new OutboxPublisherOptions()
                .setIdleDelay(Duration.ofSeconds(2))
                .setDrainTimeout(Duration.ofSeconds(3))
                .setLongestIdleDelay(Duration.ofSeconds(9))
                .setBatchSize(4)
                .setClaimDuration(Duration.ofSeconds(5))
                .setPublishTimeout(Duration.ofSeconds(4))
                .setMaxAttempts(6)
                .setBackoff(new Backoff(Duration.ofSeconds(7), Duration.ofSeconds(8), 0.5))
                .setGatherDelay(Duration.ZERO)
                .setDueResolution(Duration.ofMillis(7))),
        Arguments.of(
            DISPATCHER,
            new DispatcherOptions()
                .setIdleDelay(Duration.ofSeconds(2))
                .setDrainTimeout(Duration.ofSeconds(3))
                .setLongestIdleDelay(Duration.ofSeconds(9))
                .setSweepLimit(4)
                .setBoundedDispatch(false)
                .setGatherDelay(Duration.ofMillis(6))
                .setDueResolution(Duration.ofMillis(7))),
        Arguments.of(
            SCHEDULER,
            new SchedulerOptions()
                .setIdleDelay(Duration.ofSeconds(2))
                .setDrainTimeout(Duration.ofSeconds(3))
                .setSweepLimit(4)
                .setClaimDuration(Duration.ofSeconds(5))
                .setSkipTolerance(Duration.ZERO)
                .setLongestRecheck(Duration.ofSeconds(6))
                .setDefinitionRefresh(Duration.ofSeconds(7))
                .setDefinitionKept(Duration.ofSeconds(8))),
        Arguments.of(
            FINALIZER,
            new CancellationFinalizerOptions()
                .setIdleDelay(Duration.ofSeconds(2))
                .setDrainTimeout(Duration.ofSeconds(3))
                .setSweepLimit(4)),
        Arguments.of(
            STEPS,
            new StepDispatcherOptions()
                .setIdleDelay(Duration.ofSeconds(2))
                .setDrainTimeout(Duration.ofSeconds(3))
                .setSweepLimit(4)
                .setClaimDuration(Duration.ofSeconds(5))
                .setCheckInterval(Duration.ofSeconds(6))
                .setRepeatDelay(Duration.ofSeconds(7))),
        Arguments.of(
            RETENTION,
            new RetentionOptions()
                .setIdleDelay(Duration.ofSeconds(2))
                .setDrainTimeout(Duration.ofSeconds(3))
                .setOlderThan(Duration.ofDays(4))
                .setStatuses(Set.of(RunStatus.FAILED, RunStatus.CANCELLED))
                .setBatchSize(5)
                .setBatchesPerSweep(6)
                .setActionsOlderThan(Duration.ofDays(7))));
  }

  @ParameterizedTest
  @MethodSource("changedOptions")
  void the_json_form_keeps_every_option(
      Function<JsonObject, SweepOptions<?>> read, SweepOptions<?> options) {
    JsonObject json = options.toJson();

    assertThat(read.apply(json).toJson()).isEqualTo(json);
    assertThat(copy(options).toJson()).isEqualTo(json);
    SweepOptions<?> defaults = read.apply(new JsonObject());
    defaults.toJson().forEach(entry -> assertThat(json.getValue(entry.getKey()))
        .as(entry.getKey())
        .isNotEqualTo(entry.getValue()));
  }

  static Stream<Arguments> malformed() {
    return Stream.of(
        Arguments.of(PUBLISHER, "{\"batchsize\": 1}"),
        Arguments.of(PUBLISHER, "{\"batchSize\": 0}"),
        Arguments.of(PUBLISHER, "{\"batchSize\": 10001}"),
        Arguments.of(PUBLISHER, "{\"batchSize\": \"1\"}"),
        Arguments.of(PUBLISHER, "{\"batchSize\": null}"),
        Arguments.of(PUBLISHER, "{\"claimDuration\": \"0s\"}"),
        Arguments.of(PUBLISHER, "{\"claimDuration\": \"-1s\"}"),
        Arguments.of(PUBLISHER, "{\"claimDuration\": 5.5}"),
        Arguments.of(PUBLISHER, "{\"maxAttempts\": 0}"),
        Arguments.of(PUBLISHER, "{\"backoffFirst\": \"10m\"}"),
        Arguments.of(PUBLISHER, "{\"backoffJitter\": 1}"),
        Arguments.of(PUBLISHER, "{\"backoffJitter\": \"much\"}"),
        Arguments.of(PUBLISHER, "{\"idleDelay\": \"0s\"}"),
        Arguments.of(DISPATCHER, "{\"limit\": 1}"),
        Arguments.of(DISPATCHER, "{\"sweepLimit\": 0}"),
        Arguments.of(DISPATCHER, "{\"boundedDispatch\": \"yes\"}"),
        Arguments.of(SCHEDULER, "{\"olderThan\": \"1d\"}"),
        Arguments.of(SCHEDULER, "{\"longestRecheck\": \"0s\"}"),
        Arguments.of(SCHEDULER, "{\"definitionRefresh\": \"0s\"}"),
        Arguments.of(SCHEDULER, "{\"definitionKept\": \"0s\"}"),
        Arguments.of(FINALIZER, "{\"sweepLimit\": 1.5}"),
        Arguments.of(FINALIZER, "{\"drainTimeout\": \"0s\"}"),
        Arguments.of(STEPS, "{\"sweepLimit\": 0}"),
        Arguments.of(STEPS, "{\"checkInterval\": \"0s\"}"),
        Arguments.of(STEPS, "{\"limit\": 1}"),
        Arguments.of(RETENTION, "{\"statuses\": [\"running\"]}"),
        Arguments.of(RETENTION, "{\"statuses\": [\"unknown\"]}"),
        Arguments.of(RETENTION, "{\"statuses\": \"failed\"}"),
        Arguments.of(RETENTION, "{\"olderThan\": \"0s\"}"),
        Arguments.of(RETENTION, "{\"batchesPerSweep\": 0}"));
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void anything_malformed_or_unknown_is_refused(
      Function<JsonObject, SweepOptions<?>> read, String json) {
    assertRefused(() -> read.apply(new JsonObject(json)));
  }

  @Test
  void a_pass_takes_the_options_of_its_roles() {
    TickOptions options = new TickOptions()
        .setScheduler(new SchedulerOptions().setSweepLimit(1))
        .setCancellationFinalizer(new CancellationFinalizerOptions().setSweepLimit(2))
        .setDispatcher(new DispatcherOptions().setSweepLimit(3))
        .setOutboxPublisher(new OutboxPublisherOptions().setBatchSize(4));

    assertThat(new TickOptions(options.toJson()).toJson()).isEqualTo(options.toJson());
    assertThat(new TickOptions(options).toJson()).isEqualTo(options.toJson());
    for (String json : List.of(
        "{\"publisher\": {}}", "{\"dispatcher\": 1}", "{\"scheduler\": {\"nothing\": 1}}")) {
      assertRefused(() -> new TickOptions(new JsonObject(json)));
    }
  }

  @Test
  void options_are_copied_where_they_are_taken() {
    DispatcherOptions dispatcher = new DispatcherOptions();
    TickOptions options = new TickOptions().setDispatcher(dispatcher);

    dispatcher.setSweepLimit(1);
    options.getDispatcher().setSweepLimit(2);

    assertThat(options.getDispatcher().getSweepLimit())
        .isEqualTo(DispatcherOptions.DEFAULT_SWEEP_LIMIT);
  }

  @Test
  void the_json_form_leaves_out_what_is_not_set() {
    assertThat(new RetentionOptions().toJson().fieldNames())
        .doesNotContain("olderThan", "statuses");
    assertThat(new RetentionOptions()
            .setStatuses(Set.of(RunStatus.SUCCEEDED, RunStatus.FAILED))
            .toJson()
            .getJsonArray("statuses"))
        .isEqualTo(new JsonArray().add("succeeded").add("failed"));
  }

  private static SweepOptions<?> copy(SweepOptions<?> options) {
    if (options instanceof OutboxPublisherOptions publisher) {
      return new OutboxPublisherOptions(publisher);
    } else if (options instanceof DispatcherOptions dispatcher) {
      return new DispatcherOptions(dispatcher);
    } else if (options instanceof SchedulerOptions scheduler) {
      return new SchedulerOptions(scheduler);
    } else if (options instanceof CancellationFinalizerOptions finalizer) {
      return new CancellationFinalizerOptions(finalizer);
    } else if (options instanceof StepDispatcherOptions steps) {
      return new StepDispatcherOptions(steps);
    }
    return new RetentionOptions((RetentionOptions) options);
  }

  private static void assertRefused(Runnable building) {
    assertThatThrownBy(building::run)
        .isInstanceOfSatisfying(RunlaneException.class, refusal -> assertThat(refusal.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }
}
