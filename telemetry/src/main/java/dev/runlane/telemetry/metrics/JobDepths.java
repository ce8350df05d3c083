package dev.runlane.telemetry.metrics;

import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.json.VertxJson;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
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
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Jobs by queue and state, as gauges: what one process of the system counted last, once a minute. Whoever counts leaves
 * it where the runtime's storage keeps what operators need; every process that has this reads that every 15 s and shows
 * the same, so a query takes the highest of all and never their sum.
 */
public final class JobDepths {
  /** How often the counts are read = 15 s. */
  public static final Duration READ_INTERVAL = RunlaneDepths.READ_INTERVAL;

  /** How often jobs are counted, by one process of the system = 60 s. */
  public static final Duration COUNT_INTERVAL = Duration.ofMinutes(1);

  /** Of how many queues at most = {@value}, the first by their names. */
  public static final int MOST_QUEUES = 200;

  private static final String KIND = "job_depths";
  private static final Actor NOBODY = new Actor(Actor.Type.SYSTEM, null);

  private final Runlane runlane;
  private final OperatorStore operator;
  private final JobStore store;
  private final Clock clock;
  private final BoundedLabel queues;
  private final MultiGauge jobs;
  private final Context context;
  private final SweepLoop loop;
  private final Instant madeAt;
  private volatile @Nullable Instant takenAt;

  private JobDepths(
      Vertx vertx,
      Runlane runlane,
      JobStore store,
      MeterRegistry registry,
      RunlaneMetricsOptions options,
      Clock clock) {
    this.runlane = runlane;
    this.store = store;
    this.clock = clock;
    madeAt = clock.now();
    operator = runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow(() -> RunlaneException.of(
            ErrorCode.CAPABILITY_UNSUPPORTED, "the storage keeps nothing for operators"));
    queues = new BoundedLabel(options.getMostLabelValues());
    Meters.forget(registry, MetricNames.JOB_QUEUE_JOBS, MetricNames.JOB_DEPTHS_AGE);
    jobs = MultiGauge.builder(MetricNames.JOB_QUEUE_JOBS)
        .description("Jobs by queue and state")
        .register(registry);
    Gauge.builder(MetricNames.JOB_DEPTHS_AGE, this, JobDepths::age)
        .description("How long ago the jobs were counted")
        .baseUnit("seconds")
        .strongReference(true)
        .register(registry);
    context = vertx.getOrCreateContext();
    loop = new SweepLoop(Timers.of(vertx), "reader of depths of jobs", this::read, READ_INTERVAL);
    context.runOnContext(begun -> loop.start());
  }

  /**
   * Gauges in {@code registry} of the jobs of a store that is connected, until {@link #close}; they replace those of
   * an earlier one there.
   *
   * @param runlane a started runtime whose storage keeps the counts
   * @throws RunlaneException {@code CapabilityUnsupported} where it keeps nothing for operators
   */
  public static JobDepths create(
      Vertx vertx, Runlane runlane, JobStore store, MeterRegistry registry) {
    return create(vertx, runlane, store, registry, new RunlaneMetricsOptions());
  }

  /** The same with other bounds; the most label values are those of queues. */
  public static JobDepths create(
      Vertx vertx,
      Runlane runlane,
      JobStore store,
      MeterRegistry registry,
      RunlaneMetricsOptions options) {
    return create(vertx, runlane, store, registry, options, Clock.system());
  }

  static JobDepths create(
      Vertx vertx,
      Runlane runlane,
      JobStore store,
      MeterRegistry registry,
      RunlaneMetricsOptions options,
      Clock clock) {
    return new JobDepths(
        vertx, runlane, store, registry, new RunlaneMetricsOptions(options), clock);
  }

  /** Reads no more; the gauges keep what they showed last. Completes when a read in flight has ended. */
  public Future<Void> close() {
    Promise<Void> closed = Promise.promise();
    context.runOnContext(asked -> loop.stop().onComplete(closed));
    return closed.future();
  }

  private Future<Boolean> read() {
    Instant now = clock.now();
    return latest()
        .compose(last -> {
          boolean isRecent = last.map(OperatorDocument::changedAt)
              .filter(at ->
                  at.plus(COUNT_INTERVAL).isAfter(now) && !at.isAfter(now.plus(COUNT_INTERVAL)))
              .isPresent();
          return isRecent ? Future.succeededFuture(last) : count(last, now);
        })
        .map(found -> {
          found.ifPresent(this::show);
          return false;
        });
  }

  private Future<Optional<OperatorDocument>> latest() {
    return operator
        .listDocuments(new ListDocuments(runlane.environment(), KIND, 1, null))
        .map(page -> page.data().stream().findFirst());
  }

  /**
   * Says first that it is being counted, so that one process does; whoever finds that meanwhile shows what was counted
   * before. Where the counting process is killed, the next one counts a minute later.
   */
  private Future<Optional<OperatorDocument>> count(Optional<OperatorDocument> last, Instant now) {
    long version = last.map(OperatorDocument::version).orElse(0L);
    Json before = last.map(OperatorDocument::content).orElse(Json.ofChecked("{}"));
    return put(version, before, now)
        .compose(mine -> mine.isEmpty()
            ? Future.succeededFuture(last)
            : store.listQueues().compose(this::counts).compose(counts -> put(
                    mine.get(),
                    VertxJson.of(
                        new JsonObject().put("takenAt", now.toString()).put("queues", counts)),
                    now)
                .compose(put -> latest())));
  }

  private Future<Optional<Long>> put(long version, Json content, Instant now) {
    return operator.putDocument(
        new PutDocument(runlane.environment(), KIND, KIND, version, content, NOBODY, now));
  }

  private Future<JsonObject> counts(List<QueueInfo> known) {
    JsonObject counts = new JsonObject();
    Future<Void> all = Future.succeededFuture();
    for (QueueInfo queue : known.stream()
        .sorted(Comparator.comparing(QueueInfo::name))
        .limit(MOST_QUEUES)
        .toList()) {
      all = all.compose(next -> store.getJobCounts(queue.name())).map(states -> {
        JsonObject ofQueue = new JsonObject();
        states.forEach((state, count) -> ofQueue.put(state.value(), count));
        counts.put(queue.name(), ofQueue);
        return null;
      });
    }
    return all.map(counts);
  }

  private void show(OperatorDocument document) {
    JsonObject content = VertxJson.object(document.content());
    if (!content.containsKey("takenAt")) {
      return; // it is being counted for the first time
    }
    Map<String, Map<String, Long>> shown = new TreeMap<>();
    JsonObject counts = content.getJsonObject("queues");
    for (String queue : counts.fieldNames()) {
      Map<String, Long> states = shown.computeIfAbsent(queues.of(queue), label -> new TreeMap<>());
      for (JobState state : JobState.values()) {
        states.merge(
            state.value(), counts.getJsonObject(queue).getLong(state.value(), 0L), Long::sum);
      }
    }
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    shown.forEach((queue, states) -> states.forEach((state, count) -> rows.add(
        MultiGauge.Row.of(Tags.of(MetricNames.QUEUE, queue, MetricNames.STATE, state), count))));
    jobs.register(rows, true);
    takenAt = Instant.parse(content.getString("takenAt"));
  }

  /** Since there is this gauge, before the first counts. */
  private double age() {
    Instant taken = takenAt;
    Instant since = taken == null ? madeAt : taken;
    return Math.max(0, Duration.between(since, clock.now()).toMillis() / 1_000.0);
  }
}
