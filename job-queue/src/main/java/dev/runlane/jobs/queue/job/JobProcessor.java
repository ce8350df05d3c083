package dev.runlane.jobs.queue.job;

import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a worker does with its jobs: a handler, and the back-off strategies that jobs may name. Immutable. */
public final class JobProcessor {
  private final BatchCall call;
  private final boolean batches;
  private final boolean blocks;
  private final Map<String, BackoffStrategy> strategies;

  private JobProcessor(
      BatchCall call, boolean batches, boolean blocks, Map<String, BackoffStrategy> strategies) {
    this.call = call;
    this.batches = batches;
    this.blocks = blocks;
    this.strategies = Map.copyOf(strategies);
  }

  /** Calls the handler on the worker's event loop. */
  public static JobProcessor of(JobHandler handler) {
    return new JobProcessor(
        (jobs, signal, blocking) -> Objects.requireNonNull(
                handler.handle(jobs.get(0), signal), "the handler returned no future")
            .map(JobProcessor::ofOne),
        false,
        false,
        Map.of());
  }

  /** Calls the handler where it may block. */
  public static JobProcessor blocking(BlockingJobHandler handler) {
    return new JobProcessor(
        (jobs, signal, blocking) ->
            blocking.apply(() -> ofOne(handler.handle(jobs.get(0), signal))),
        false,
        true,
        Map.of());
  }

  /**
   * Calls the handler for up to {@link dev.runlane.jobs.queue.options.JobWorkerOptions#getBatchSize()} jobs at
   * once: as many as there are now, it never waits for more. A batch takes one slot.
   */
  public static JobProcessor batch(BatchJobHandler handler) {
    return new JobProcessor(
        (jobs, signal, blocking) -> handler.handle(jobs, signal), true, false, Map.of());
  }

  /** The same, with a strategy that jobs name as {@code JobBackoff.custom(name)}. */
  public JobProcessor backoff(String name, BackoffStrategy strategy) {
    Map<String, BackoffStrategy> more = new LinkedHashMap<>(strategies);
    if (more.putIfAbsent(name, strategy) != null) {
      throw RunlaneException.configurationInvalid("two back-off strategies are named %s", name);
    }
    return new JobProcessor(call, batches, blocks, more);
  }

  /** Whether a call gets many jobs, not one. */
  public boolean isBatch() {
    return batches;
  }

  /** Whether the handler is called where it may block. */
  public boolean isBlocking() {
    return blocks;
  }

  /** Back-off strategies by the names that jobs ask for. */
  public Map<String, BackoffStrategy> strategies() {
    return strategies;
  }

  /** Calls the handler, by way of {@code blocking} if it may block; answers a result for each job in their order. */
  public Future<List<JobResult>> call(
      List<Job> jobs,
      JobSignal signal,
      Function<Callable<List<JobResult>>, Future<List<JobResult>>> blocking) {
    return call.call(jobs, signal, blocking);
  }

  private static List<JobResult> ofOne(@Nullable JobResult result) {
    return List.of(Objects.requireNonNull(result, "the handler answered null instead of a result"));
  }

  /** Every kind of handler, seen as one of batches. */
  private interface BatchCall {
    Future<List<JobResult>> call(
        List<Job> jobs,
        JobSignal signal,
        Function<Callable<List<JobResult>>, Future<List<JobResult>>> blocking);
  }
}
