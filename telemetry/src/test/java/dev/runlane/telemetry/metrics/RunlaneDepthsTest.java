package dev.runlane.telemetry.metrics;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.lane.Lanes;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.depth.OutboxDepth;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.depth.StepDepth;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.timing.ManualClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RunlaneDepthsTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private final Vertx vertx = Vertx.vertx();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @AfterEach
  void stop() throws Exception {
    vertx.close().await(60, SECONDS);
  }

  @Test
  void further_queues_than_the_bound_are_shown_as_one_with_their_sum_and_their_oldest() {
    shown(List.of(
        new QueueDepth("a", 1, 2, 3, NOON.minusSeconds(9)),
        new QueueDepth("b", 10, 20, 30, null),
        new QueueDepth("c", 100, 200, 300, NOON.minusSeconds(60))));

    assertThat(runs("a", "waiting")).isEqualTo(1);
    assertThat(runs("other", "waiting")).isEqualTo(110);
    assertThat(runs("other", "later")).isEqualTo(220);
    assertThat(runs("other", "held")).isEqualTo(330);
    assertThat(registry.find(MetricNames.QUEUE_OLDEST).gauges()).hasSize(2);
    assertThat(registry
            .get(MetricNames.QUEUE_OLDEST)
            .tag(MetricNames.QUEUE, "other")
            .gauge()
            .value())
        .isEqualTo(60);
    assertThat(registry
            .get(MetricNames.STEPS_WAITING)
            .tag(MetricNames.GROUP, "ml")
            .gauge()
            .value())
        .isEqualTo(3);
    assertThat(registry
            .get(MetricNames.STEPS_OLDEST)
            .tag(MetricNames.GROUP, "other")
            .gauge()
            .value())
        .isEqualTo(90);
    assertThat(registry.get(MetricNames.DEPTHS_AGE).gauge().value()).isEqualTo(5);
  }

  @Test
  void what_an_earlier_reader_has_left_is_not_shown_beside_what_is_so_now() {
    shown(List.of(new QueueDepth("a", 1, 2, 3, null)));

    shown(List.of(new QueueDepth("b", 4, 5, 6, null)));

    assertThat(runs("b", "waiting")).isEqualTo(4);
    assertThat(registry.find(MetricNames.QUEUE_RUNS).tag(MetricNames.QUEUE, "a").gauges())
        .isEmpty();
    assertThat(registry.find(MetricNames.DEPTHS_AGE).gauges()).hasSize(1);
  }

  @Test
  void many_scrapes_ask_the_storage_no_more_often() {
    List<GetSample> asked = shown(List.of(new QueueDepth("a", 1, 0, 0, NOON)));

    for (int scrape = 0; scrape < 100; scrape++) {
      runs("a", "waiting");
    }

    assertThat(asked).hasSize(1);
  }

  @Test
  void depths_that_nobody_has_counted_for_two_minutes_are_counted_by_who_shows_them() {
    List<TakeSample> taken = new ArrayList<>();
    Promise<Void> counted = Promise.promise();
    DepthSample old = sample(NOON.minusSeconds(121), List.of(new QueueDepth("a", 1, 0, 0, null)));
    DepthSample anew = sample(NOON, List.of(new QueueDepth("a", 7, 0, 0, null)));
    Runlane runlane = runlane(real -> new ForwardingOperatorStore(real) {
      @Override
      public Future<Optional<DepthSample>> latestSample(GetSample query) {
        if (!taken.isEmpty()) {
          vertx.getOrCreateContext().runOnContext(after -> counted.tryComplete());
        }
        return Future.succeededFuture(Optional.of(taken.isEmpty() ? old : anew));
      }

      @Override
      public Future<Boolean> takeSample(TakeSample command) {
        taken.add(command);
        return Future.succeededFuture(true);
      }
    });

    RunlaneDepths.create(vertx, runlane, registry, new RunlaneMetricsOptions(), () -> NOON);
    await(counted.future());

    assertThat(taken)
        .containsExactly(new TakeSample(runlane.environment(), NOON, Duration.ofMinutes(1)));
    assertThat(runs("a", "waiting")).isEqualTo(7);
  }

  @Test
  void depths_that_cannot_be_counted_anew_are_shown_as_they_were_and_grow_old() {
    Promise<Void> read = Promise.promise();
    DepthSample old = sample(NOON.minusSeconds(121), List.of(new QueueDepth("a", 1, 0, 0, null)));
    Runlane runlane = runlane(real -> new ForwardingOperatorStore(real) {
      @Override
      public Future<Optional<DepthSample>> latestSample(GetSample query) {
        return Future.succeededFuture(Optional.of(old));
      }

      @Override
      public Future<Boolean> takeSample(TakeSample command) {
        vertx.getOrCreateContext().runOnContext(after -> read.tryComplete());
        return Future.failedFuture("may only read");
      }
    });

    RunlaneDepths.create(vertx, runlane, registry, new RunlaneMetricsOptions(), () -> NOON);
    await(read.future());

    assertThat(runs("a", "waiting")).isEqualTo(1);
    assertThat(registry.get(MetricNames.DEPTHS_AGE).gauge().value()).isEqualTo(121);
  }

  @Test
  void depths_that_were_never_counted_grow_old_from_when_they_were_to_be_shown() {
    ManualClock clock = ManualClock.at(NOON);
    Runlane runlane = runlane(real -> new ForwardingOperatorStore(real) {
      @Override
      public Future<Optional<DepthSample>> latestSample(GetSample query) {
        return Future.failedFuture("away");
      }
    });

    RunlaneDepths.create(vertx, runlane, registry, new RunlaneMetricsOptions(), clock);
    clock.advance(Duration.ofMinutes(6));

    assertThat(registry.get(MetricNames.DEPTHS_AGE).gauge().value()).isEqualTo(360);
  }

  @Test
  void a_storage_that_keeps_nothing_for_operators_is_refused() {
    Runlane runlane = runlane(store -> null);

    assertThatThrownBy(() -> RunlaneDepths.create(vertx, runlane, registry))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CAPABILITY_UNSUPPORTED));
  }

  private double runs(String queue, String state) {
    return registry
        .get(MetricNames.QUEUE_RUNS)
        .tag(MetricNames.QUEUE, queue)
        .tag(MetricNames.STATE, state)
        .gauge()
        .value();
  }

  /** Returns once these are shown; how often they were asked for. */
  private List<GetSample> shown(List<QueueDepth> queues) {
    List<GetSample> asked = new ArrayList<>();
    Promise<Void> read = Promise.promise();
    Runlane runlane = runlane(real -> new ForwardingOperatorStore(real) {
      @Override
      public Future<Optional<DepthSample>> latestSample(GetSample query) {
        asked.add(query);
        vertx.getOrCreateContext().runOnContext(after -> read.tryComplete());
        return Future.succeededFuture(Optional.of(sample(NOON, queues)));
      }
    });
    RunlaneDepths.create(
        vertx,
        runlane,
        registry,
        new RunlaneMetricsOptions().setMostLabelValues(1),
        () -> NOON.plusSeconds(5));
    await(read.future());
    return asked;
  }

  private static DepthSample sample(Instant takenAt, List<QueueDepth> queues) {
    return new DepthSample(
        takenAt,
        queues,
        new OutboxDepth(0, 0, 0, 0, null),
        List.of(
            new StepDepth("ml", 3, takenAt.minusSeconds(30)),
            new StepDepth("ocr", 4, takenAt.minusSeconds(90))));
  }

  private static void await(Future<Void> done) {
    try {
      done.await(60, SECONDS);
    } catch (Exception late) {
      throw new AssertionError(late);
    }
  }

  private Runlane runlane(UnaryOperator<@Nullable OperatorStore> store) {
    StorageAdapter memory = MemoryLane.create().storage();
    StorageAdapter storage = new ForwardingStorageAdapter(memory) {
      @Override
      public Optional<OperatorStore> operator() {
        return super.operator().map(store);
      }
    };
    return Runlane.builder(vertx, Lanes.create(storage, MemoryLane.create().transport()))
        .queue(TaskQueue.of("default").asDefault())
        .build();
  }
}
