package dev.runlane.jobs.queue;

import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Jobs for unit tests: in memory, on the thread of the test, under a clock that stands still until the test moves
 * it. Nothing runs but within {@link #runDue()} and {@link #advance}; then all of it does, in an order that is the
 * same each time: delayed jobs, retries after hours, schedules of months, timeouts, lost locks.
 *
 * <p>Handlers must answer with futures that are complete, or completed by the test or by jobs; blocking handlers
 * are called on the test's thread. Used by one thread at a time.
 */
public final class JobTesting {
  /** Turns and timers in one step = {@value}; beyond it jobs are taken to run for ever. */
  public static final int MOST_TURNS = 100_000;

  private static final Duration AT_ONCE = Duration.ofMillis(1);
  private static final Duration SELDOM = Duration.ofHours(1);
  private static final long SEED = 1;

  private final ManualClock clock;
  private final ManualTimers timers;
  private final JobsHost.SingleThread home;
  private final Jobs jobs;

  private JobTesting(Instant start, JobsOptions options) {
    clock = ManualClock.at(start);
    timers = new ManualTimers(clock);
    home = new JobsHost.SingleThread(timers);
    Randomness randomness = Randomness.seeded(SEED);
    jobs = new Jobs(
        home,
        new MemoryJobStore(new JobStoreOptions(), randomness),
        clock,
        randomness,
        JsonCodec.standard(),
        options,
        Optional.of(SELDOM)); // events wake everything here
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
    return new JobTesting(start, options);
  }

  /** Where the code under test gets its queues and workers. */
  public Jobs jobs() {
    return jobs;
  }

  /** The present instant. */
  public Instant now() {
    return clock.now();
  }

  /**
   * Runs everything that is due, and what follows from it at once. Throws {@link IllegalStateException} when that
   * has no end.
   */
  public void runDue() {
    int turns = takeTurns(0);
    while (nextWithin(AT_ONCE)) {
      timers.advance(timers.untilNext().orElse(Duration.ZERO));
      turns = takeTurns(turns + 1);
    }
  }

  /** Advances the clock and runs everything that becomes due, each at its instant. Throws as {@link #runDue()}. */
  public void advance(Duration time) {
    Duration end = timers.elapsed().plus(time);
    int turns = takeTurns(0);
    while (nextWithin(end.minus(timers.elapsed()))) {
      timers.advance(timers.untilNext().orElse(Duration.ZERO));
      turns = takeTurns(turns + 1);
    }
    timers.advance(end.minus(timers.elapsed()));
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

  private boolean nextWithin(Duration time) {
    return timers.untilNext().filter(next -> next.compareTo(time) <= 0).isPresent();
  }

  private int takeTurns(int before) {
    int turns = before;
    while (home.runNext()) {
      turns++;
      if (turns > MOST_TURNS) {
        throw new IllegalStateException("jobs do not come to rest within " + MOST_TURNS + " turns");
      }
    }
    return turns;
  }
}
