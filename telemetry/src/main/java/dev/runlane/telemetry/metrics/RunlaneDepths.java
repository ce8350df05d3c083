package dev.runlane.telemetry.metrics;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.OutboxDepth;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.depth.StepDepth;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.timing.Clock;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What waits in the queues, in the outbox and for the workers of remote steps, as gauges: what one process of the
 * system counted last, once a minute. Every process that has this reads that one row every 15 s and shows the same,
 * so a query takes the highest of all and never their sum. Where nobody else has counted for two minutes, one of those
 * that read counts. Where that cannot be done, or the counts cannot be read, the gauges keep what was read before, and
 * {@code runlane.depths.age} grows.
 */
public final class RunlaneDepths {
  /** How often the counts are read = 15 s. */
  public static final Duration READ_INTERVAL = Duration.ofSeconds(15);

  private static final Duration BEFORE_THE_FIRST = Duration.ofSeconds(1);

  /** Processes with a role or a worker count once a minute. Where counts are older, there is none, or it is silent. */
  private static final Duration COUNTED_WITHIN = TakeSample.EVERY.multipliedBy(2);

  private final Runlane runlane;
  private final Clock clock;
  private final BoundedLabel queues;
  private final MultiGauge runs;
  private final MultiGauge oldestRun;
  private final MultiGauge messages;
  private final MultiGauge oldestMessage;
  private final BoundedLabel groups;
  private final MultiGauge steps;
  private final MultiGauge oldestStep;
  private final Context context;
  private final SweepLoop loop;
  private final OperatorStore store;
  private final Instant madeAt;
  private volatile @Nullable Instant takenAt;

  private RunlaneDepths(
      Vertx vertx,
      Runlane runlane,
      OperatorStore store,
      MeterRegistry registry,
      RunlaneMetricsOptions options,
      Clock clock) {
    this.runlane = runlane;
    this.store = store;
    this.clock = clock;
    madeAt = clock.now();
    queues = new BoundedLabel(options.getMostLabelValues());
    Meters.forget(
        registry,
        MetricNames.QUEUE_RUNS,
        MetricNames.QUEUE_OLDEST,
        MetricNames.OUTBOX_MESSAGES,
        MetricNames.OUTBOX_OLDEST,
        MetricNames.STEPS_WAITING,
        MetricNames.STEPS_OLDEST,
        MetricNames.DEPTHS_AGE);
    runs = MultiGauge.builder(MetricNames.QUEUE_RUNS)
        .description("Runs that have not ended, by what they wait for")
        .register(registry);
    oldestRun = MultiGauge.builder(MetricNames.QUEUE_OLDEST)
        .description("For how long the run that waits longest has been due")
        .baseUnit("seconds")
        .register(registry);
    messages = MultiGauge.builder(MetricNames.OUTBOX_MESSAGES)
        .description("Outbox messages by status")
        .register(registry);
    oldestMessage = MultiGauge.builder(MetricNames.OUTBOX_OLDEST)
        .description("For how long the outbox message that waits longest has been due")
        .baseUnit("seconds")
        .register(registry);
    groups = new BoundedLabel(options.getMostLabelValues());
    steps = MultiGauge.builder(MetricNames.STEPS_WAITING)
        .description("Remote steps that wait for the workers of their group")
        .register(registry);
    oldestStep = MultiGauge.builder(MetricNames.STEPS_OLDEST)
        .description("For how long the step that waits longest has waited")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder(MetricNames.DEPTHS_AGE, this, RunlaneDepths::age)
        .description("How long ago the depths were counted")
        .baseUnit("seconds")
        .strongReference(true)
        .register(registry);
    context = vertx.getOrCreateContext();
    loop = new SweepLoop(
        Timers.of(vertx),
        "reader of depths",
        this::read,
        READ_INTERVAL,
        () -> takenAt == null ? BEFORE_THE_FIRST : READ_INTERVAL);
    context.runOnContext(begun -> loop.start());
  }

  /**
   * Gauges in {@code registry} for the system that a started runtime belongs to, until {@link #close}; they replace
   * those of an earlier one there.
   *
   * @throws RunlaneException {@code CapabilityUnsupported} where the storage keeps nothing for operators
   */
  public static RunlaneDepths create(Vertx vertx, Runlane runlane, MeterRegistry registry) {
    return create(vertx, runlane, registry, new RunlaneMetricsOptions());
  }

  /** The same with other bounds; the most label values are those of queues. */
  public static RunlaneDepths create(
      Vertx vertx, Runlane runlane, MeterRegistry registry, RunlaneMetricsOptions options) {
    return create(vertx, runlane, registry, options, Clock.system());
  }

  static RunlaneDepths create(
      Vertx vertx,
      Runlane runlane,
      MeterRegistry registry,
      RunlaneMetricsOptions options,
      Clock clock) {
    OperatorStore store = runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow(() -> RunlaneException.of(
            ErrorCode.CAPABILITY_UNSUPPORTED, "the storage keeps nothing for operators"));
    return new RunlaneDepths(
        vertx, runlane, store, registry, new RunlaneMetricsOptions(options), clock);
  }

  /** Reads no more; the gauges keep what they showed last. Completes when a read in flight has ended. */
  public Future<Void> close() {
    Promise<Void> closed = Promise.promise();
    context.runOnContext(asked -> loop.stop().onComplete(closed));
    return closed.future();
  }

  private Future<Boolean> read() {
    return shown()
        .compose(found -> found.filter(this::isRecent).isPresent()
            ? Future.succeededFuture(false)
            : counted().compose(counted -> shown()).map(false));
  }

  private Future<Optional<DepthSample>> shown() {
    return runlane.operator().depths().map(found -> {
      found.ifPresent(this::show);
      return found;
    });
  }

  /** Where no process with a role or a worker lives, nobody else counts. */
  private Future<Boolean> counted() {
    return AdapterCall.of(
        "operator.takeSample",
        () ->
            store.takeSample(new TakeSample(runlane.environment(), clock.now(), TakeSample.EVERY)));
  }

  private boolean isRecent(DepthSample sample) {
    Instant now = clock.now();
    return sample.takenAt().plus(COUNTED_WITHIN).isAfter(now)
        && !sample.takenAt().isAfter(now.plus(COUNTED_WITHIN));
  }

  private void show(DepthSample sample) {
    Map<String, QueueDepth> shown = new TreeMap<>();
    sample.queues().stream()
        .map(each -> labelled(each, queues.of(each.queue())))
        .forEach(each -> shown.merge(each.queue(), each, RunlaneDepths::sum));
    runs.register(
        shown.values().stream()
            .flatMap(each -> Stream.of(
                row(each, "waiting", each.waiting()),
                row(each, "later", each.later()),
                row(each, "held", each.held())))
            .toList(),
        true);
    oldestRun.register(
        shown.values().stream()
            .<MultiGauge.Row<?>>map(each -> MultiGauge.Row.of(
                Tags.of(MetricNames.QUEUE, each.queue()),
                seconds(each.oldestDueAt(), sample.takenAt())))
            .toList(),
        true);
    OutboxDepth outbox = sample.outbox();
    messages.register(
        List.of(
            row("pending", outbox.pending()),
            row("claimed", outbox.claimed()),
            row("failed", outbox.failed()),
            row("dead_lettered", outbox.deadLettered())),
        true);
    oldestMessage.register(
        List.of(MultiGauge.Row.of(Tags.empty(), seconds(outbox.oldestDueAt(), sample.takenAt()))),
        true);
    showSteps(sample);
    takenAt = sample.takenAt();
  }

  private void showSteps(DepthSample sample) {
    Map<String, StepDepth> shown = new TreeMap<>();
    sample.steps().stream()
        .map(each -> new StepDepth(groups.of(each.group()), each.waiting(), each.oldestAt()))
        .forEach(each -> shown.merge(each.group(), each, RunlaneDepths::sum));
    steps.register(
        shown.values().stream()
            .<MultiGauge.Row<?>>map(
                each -> MultiGauge.Row.of(Tags.of(MetricNames.GROUP, each.group()), each.waiting()))
            .toList(),
        true);
    oldestStep.register(
        shown.values().stream()
            .<MultiGauge.Row<?>>map(each -> MultiGauge.Row.of(
                Tags.of(MetricNames.GROUP, each.group()),
                seconds(each.oldestAt(), sample.takenAt())))
            .toList(),
        true);
  }

  /** Since there is this gauge, before the first counts: what was never counted grows old too. */
  private double age() {
    Instant taken = takenAt;
    return seconds(taken == null ? madeAt : taken, clock.now());
  }

  private static MultiGauge.Row<?> row(QueueDepth depth, String state, long count) {
    return MultiGauge.Row.of(
        Tags.of(MetricNames.QUEUE, depth.queue(), MetricNames.STATE, state), count);
  }

  private static MultiGauge.Row<?> row(String status, long count) {
    return MultiGauge.Row.of(Tags.of(MetricNames.STATE, status), count);
  }

  private static double seconds(@Nullable Instant from, Instant until) {
    return from == null ? 0 : Math.max(0, Duration.between(from, until).toMillis() / 1_000.0);
  }

  private static QueueDepth labelled(QueueDepth depth, String label) {
    return new QueueDepth(label, depth.waiting(), depth.later(), depth.held(), depth.oldestDueAt());
  }

  private static StepDepth sum(StepDepth one, StepDepth other) {
    return new StepDepth(
        one.group(),
        one.waiting() + other.waiting(),
        other.oldestAt().isBefore(one.oldestAt()) ? other.oldestAt() : one.oldestAt());
  }

  private static QueueDepth sum(QueueDepth one, QueueDepth other) {
    Instant first = one.oldestDueAt();
    Instant second = other.oldestDueAt();
    return new QueueDepth(
        one.queue(),
        one.waiting() + other.waiting(),
        one.later() + other.later(),
        one.held() + other.held(),
        first == null || (second != null && second.isBefore(first)) ? second : first);
  }
}
