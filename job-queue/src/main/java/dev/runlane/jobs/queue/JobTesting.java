package dev.runlane.jobs.queue;

import dev.runlane.jobs.JobState;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.ManualTime;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Jobs for unit tests: in memory, on the thread of the test, under a clock that stands still until the test moves
 * it. Nothing runs but within {@link #runDue()} and {@link #advance}; then all of it does, in an order that is the
 * same each time: delayed jobs, retries after hours, schedules of months, timeouts, lost locks.
 *
 * <p>Handlers must answer with futures that are complete, or completed by the test or by jobs; blocking handlers
 * are called on the test's thread. Used by one thread at a time.
 */
public final class JobTesting {
  /**
   * For how long {@link #runUntilIdle()} waits for a job that has no due time, such as one whose future nobody
   * completes.
   */
  public static final Duration QUIET = Duration.ofMinutes(30);

  private static final int MOST_JOBS = 10_000; // of a queue and state that are looked at
  private static final Duration SELDOM = Duration.ofHours(1);
  private static final long SEED = 1;

  private final ManualTime time;
  private final MemoryJobStore store;
  private final Randomness randomness = Randomness.seeded(SEED);
  private final Consumer<JobsBuilder> settings;
  private @Nullable Jobs jobs; // null: nobody asked for them yet

  private JobTesting(ManualTime time, Consumer<JobsBuilder> settings) {
    this.time = time;
    this.settings = settings;
    store = new MemoryJobStore(new JobStoreOptions(), randomness);
  }

  /** An empty store at noon of 1 January 2026, UTC. */
  public static JobTesting create() {
    return at(Instant.parse("2026-01-01T12:00:00Z"));
  }

  /** An empty store at this instant. */
  public static JobTesting at(Instant start) {
    return at(start, new JobsOptions());
  }

  /** The same with these options. */
  public static JobTesting at(Instant start, JobsOptions options) {
    return on(ManualTime.at(start), options);
  }

  /**
   * The same with whatever {@code Jobs.builder} takes, such as an object mapper or an observer. Clock and randomness
   * are set already; called once, when {@link #jobs()} is first asked for.
   */
  public static JobTesting at(Instant start, Consumer<JobsBuilder> settings) {
    return on(ManualTime.at(start), settings);
  }

  /** An empty store in a time that others share: whoever moves it moves the jobs too. */
  public static JobTesting on(ManualTime time, JobsOptions options) {
    JobsOptions given = new JobsOptions(options);
    return on(time, builder -> builder.options(given));
  }

  /** The same with whatever {@link #at(Instant, Consumer)} takes. */
  public static JobTesting on(ManualTime time, Consumer<JobsBuilder> settings) {
    return new JobTesting(time, settings);
  }

  /** Where the code under test gets its queues and workers. */
  public Jobs jobs() {
    Jobs made = jobs;
    if (made == null) {
      JobsBuilder builder = new JobsBuilder(
              options -> new JobsHost.SingleThread(time),
              store,
              Optional.of(SELDOM)) // events wake everything here
          .clock(time.clock())
          .randomness(randomness);
      settings.accept(builder);
      made = builder.build();
      jobs = made;
    }
    return made;
  }

  /** The present instant. */
  public Instant now() {
    return time.clock().now();
  }

  /**
   * Runs everything that is due, and what follows from it at once. Throws {@link IllegalStateException} when that
   * has no end.
   */
  public void runDue() {
    time.runDue();
  }

  /** Advances the clock and runs everything that becomes due, each at its instant. Throws as {@link #runDue()}. */
  public void advance(Duration step) {
    time.advance(step);
  }

  /**
   * Lets time pass until every job has ended, however long delays and retries take; jobs that repeat are not waited
   * for. Stops earlier where no job has a due time, and none went on for {@link #QUIET}: such a job waits for a
   * worker, or for something that only the test can bring. Throws as {@link #runDue()}.
   */
  public void runUntilIdle() {
    time.runDue();
    Optional<Duration> rest = untilIdle();
    while (rest.isPresent() && time.runNext(rest.get())) {
      rest = untilIdle();
    }
  }

  /** For how long {@link #runUntilIdle()} waits from now on for the next thing that happens; empty: not at all. */
  public Optional<Duration> untilIdle() {
    return result(store.listQueues()).stream()
        .flatMap(this::waitingUntil)
        .max(Comparator.naturalOrder())
        .map(until -> Duration.between(now(), until.plus(QUIET)))
        .filter(rest -> !rest.isNegative());
  }

  /** For each open job of a queue its due time, or when it went on last; not for those that repeat. */
  private Stream<Instant> waitingUntil(QueueInfo queue) {
    return Arrays.stream(JobState.values())
        .filter(state -> !state.isTerminal())
        .flatMap(state -> result(store.listJobs(queue.name(), state, 0, MOST_JOBS)).stream())
        .filter(job -> job.scheduleKey() == null && job.options().repeat() == null)
        .map(job -> Stream.of(job.createdAt(), job.processedAt(), job.delayUntil())
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElseThrow());
  }

  /**
   * What a future has come to by now. Throws its failure, and {@link IllegalStateException} while it is still open.
   */
  public <T> T result(Future<T> future) {
    if (!future.isComplete()) {
      throw new IllegalStateException("the future is still open; run what is due first");
    }
    if (future.succeeded()) {
      return future.result();
    }
    throw future.cause() instanceof RunlaneException known
        ? known
        : new IllegalStateException("the future failed", future.cause());
  }
}
