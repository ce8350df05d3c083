package dev.runlane.runtime.report;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.Latencies;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.observe.AttemptOutcome;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what this process does by minute, queue and task, and adds it to the storage's counts by one call a minute,
 * with nothing to add by none. No run waits for it. What cannot be added is kept for the next minute, up to a bound.
 * Told by any thread, written on the home context.
 */
public final class ThroughputCounter implements RuntimeObserver {
  private static final Logger LOG = LoggerFactory.getLogger(ThroughputCounter.class);
  private static final Duration EVERY = Duration.ofMinutes(1);
  private static final Duration LAST_WORD = Duration.ofSeconds(1);

  /** Most minutes of a task in a queue that wait to be added; what is further is not counted. */
  private static final int MOST_WAITING = 10_000;

  private final Environment environment;
  private final OperatorStore store;
  private final Clock clock;
  private final RuntimeHost host;
  private final FailureLog failures;
  private final Map<Key, Counts> waiting = new ConcurrentHashMap<>();
  private final AtomicBoolean armed = new AtomicBoolean();
  private Timers.@Nullable Timer timer;
  private boolean closed;

  /** Of a process that has done nothing yet. */
  public ThroughputCounter(
      Environment environment, OperatorStore store, Clock clock, RuntimeHost host) {
    this.environment = environment;
    this.store = store;
    this.clock = clock;
    this.host = host;
    failures = new FailureLog(LOG, "adding throughput", host.timers());
  }

  @Override
  public void runCreated(RunRecord run) {
    count(run, counts -> counts.triggered++);
  }

  @Override
  public AttemptObserver attemptStarted(RunRecord run) {
    count(run, counts -> {
      counts.started++;
      Instant due = run.runAt() == null ? run.createdAt() : run.runAt();
      if (run.startedAt() != null && run.counters().lostAttempts(1) == 0) {
        counts.waited.add(due, run.startedAt());
      }
    });
    return new AttemptObserver() {
      @Override
      public void ended(AttemptOutcome outcome, @Nullable RunRecord after) {
        count(run, counts -> counts.ended(outcome, after));
      }
    };
  }

  @Override
  public void runEnded(RunRecord run) {
    Instant finished = run.finishedAt();
    if (finished != null) {
      count(run, counts -> counts.run.add(run.createdAt(), finished));
    }
  }

  /** Adds what waits, if that can be done soon. On the home context. */
  public Future<Void> close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    return host.timers()
        .within(
            LAST_WORD,
            add(Instant.MAX),
            () -> RunlaneException.of(
                ErrorCode.OPERATION_CANCELLED, "the storage did not answer within %s", LAST_WORD))
        .otherwise(failure -> {
          LOG.debug("what was counted last is lost with this process", failure);
          return null;
        });
  }

  /** Under the map's lock of the key, so that nothing is counted into what is being sent. */
  private void count(RunRecord run, Consumer<Counts> fact) {
    Key key = new Key(clock.now().truncatedTo(ChronoUnit.MINUTES), run.queue(), run.taskId());
    if (waiting.size() < MOST_WAITING || waiting.containsKey(key)) {
      waiting.compute(key, (same, known) -> {
        Counts counts = known == null ? new Counts() : known;
        fact.accept(counts);
        return counts;
      });
      if (!armed.get() && armed.compareAndSet(false, true)) {
        host.execute(this::arm);
      }
    }
  }

  private void arm() {
    if (!closed) {
      timer = host.timers().schedule(EVERY, this::addFinished);
    }
  }

  private void addFinished() {
    timer = null;
    add(clock.now().truncatedTo(ChronoUnit.MINUTES)).onComplete(added -> {
      armed.set(false);
      if (!waiting.isEmpty() && armed.compareAndSet(false, true)) {
        arm();
      }
    });
  }

  /** Never fails. */
  private Future<Void> add(Instant before) {
    List<ThroughputBucket> buckets = new ArrayList<>();
    for (Key key : List.copyOf(waiting.keySet())) {
      Counts counts = key.minute().isBefore(before) ? waiting.remove(key) : null;
      if (counts != null) {
        buckets.add(counts.bucket(key));
      }
    }
    if (buckets.isEmpty()) {
      return Future.succeededFuture();
    }
    return AdapterCall.of(
            "operator.addThroughput",
            () -> store.addThroughput(new AddThroughput(environment, buckets)))
        .otherwise(failure -> {
          failures.failed(failure, "it is tried again in a minute");
          buckets.forEach(this::keep);
          return null;
        });
  }

  private void keep(ThroughputBucket bucket) {
    if (waiting.size() < MOST_WAITING) {
      Key key = new Key(bucket.minute(), bucket.queue(), bucket.taskId());
      waiting.compute(key, (same, known) -> {
        Counts counts = known == null ? new Counts() : known;
        counts.before = counts.before == null ? bucket : counts.before.plus(bucket);
        return counts;
      });
    }
  }

  private record Key(Instant minute, String queue, String taskId) {}

  /** What one minute of a task in a queue has come to. */
  private static final class Counts {
    private long triggered;
    private long started;
    private final Map<AttemptOutcome, Long> outcomes = new EnumMap<>(AttemptOutcome.class);
    private final Times waited = new Times();
    private final Times attempt = new Times();
    private final Times run = new Times();
    private @Nullable ThroughputBucket before; // that could not be added

    void ended(AttemptOutcome outcome, @Nullable RunRecord after) {
      outcomes.merge(outcome, 1L, Long::sum);
      if (after != null && after.startedAt() != null) {
        attempt.add(after.startedAt(), after.updatedAt());
      }
    }

    private long of(AttemptOutcome outcome) {
      return outcomes.getOrDefault(outcome, 0L);
    }

    ThroughputBucket bucket(Key key) {
      ThroughputBucket counted = new ThroughputBucket(
          key.minute(),
          key.queue(),
          key.taskId(),
          triggered,
          started,
          of(AttemptOutcome.SUCCEEDED),
          of(AttemptOutcome.FAILED),
          of(AttemptOutcome.RETRIED),
          of(AttemptOutcome.RELEASED),
          of(AttemptOutcome.CANCELLED),
          of(AttemptOutcome.LOST),
          waited.latencies(),
          attempt.latencies(),
          run.latencies());
      return before == null ? counted : counted.plus(before);
    }
  }

  private static final class Times {
    private final long[] counts = new long[Latencies.BOUNDS + 1];
    private long sumMillis;

    void add(Instant from, Instant to) {
      long millis = Math.max(0, Duration.between(from, to).toMillis());
      counts[Latencies.place(millis)]++;
      sumMillis += millis;
    }

    Latencies latencies() {
      return new Latencies(LongStream.of(counts).boxed().toList(), sumMillis);
    }
  }
}
