package dev.runlane.simulation.jobs;

import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.json.JsonCodec;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.ProcessTimers;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One life of a process: the real job queue with a worker for each queue. */
final class SimulatedJobs {
  /** How long a close may take: the longest drain timeout of its workers, and two seconds. */
  static final Duration CLOSE_BOUND =
      JobWorkerOptions.DEFAULT_DRAIN_TIMEOUT.plus(Duration.ofSeconds(2));

  private final Lifetime life;
  private final JobSetup setup;
  private final ProcessTimers timers;
  private final Jobs jobs;

  SimulatedJobs(
      VirtualTime time, Lifetime life, JobSetup setup, JobStore store, Clock clock, long seed) {
    this.life = life;
    this.setup = setup;
    timers = new ProcessTimers(time, life);
    jobs = new Jobs(
        new LoopHost(time, life),
        store,
        clock,
        Randomness.seeded(seed),
        JsonCodec.standard(),
        new JobsOptions(),
        List.of(),
        Optional.empty());
  }

  Lifetime life() {
    return life;
  }

  Jobs jobs() {
    return jobs;
  }

  void start(JobHandlers handlers) {
    for (String queue : JobQueues.WORKED_ON) {
      jobs.worker(queue, JobProcessor.of(handlers::handle), JobQueues.options(queue, setup));
    }
  }

  /** Answers how long it took. */
  Future<Duration> stop() {
    Duration from = timers.elapsed();
    return jobs.close()
        .transform(closed -> Future.succeededFuture(timers.elapsed().minus(from)));
  }
}
