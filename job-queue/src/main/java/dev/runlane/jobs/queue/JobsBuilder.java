package dev.runlane.jobs.queue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.observe.JobsObserver;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.json.JsonCodec;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Randomness;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes a {@link Jobs}. */
public final class JobsBuilder {
  private final Vertx vertx;
  private final JobStore store;
  private JobsOptions options = new JobsOptions();
  private JsonCodec codec = JsonCodec.standard();
  private Clock clock = Clock.system();
  private Randomness randomness = Randomness.system();
  private final List<JobsObserver> observers = new ArrayList<>();

  JobsBuilder(Vertx vertx, JobStore store) {
    this.vertx = vertx;
    this.store = store;
  }

  /** Sets the options, which are copied. */
  public JobsBuilder options(JobsOptions options) {
    this.options = new JobsOptions(options);
    return this;
  }

  /**
   * Sets how payloads and return values become JSON and back: {@link JsonCodec#of} this mapper, that is a copy of it
   * that knows {@code JsonObject}, {@code JsonArray}, {@code Buffer} and {@code Json} as well. The default is {@link
   * JsonCodec#standard()}.
   */
  public JobsBuilder objectMapper(ObjectMapper mapper) {
    codec = JsonCodec.of(mapper);
    return this;
  }

  /** Sets where now is read; the machine's clock unless set. */
  public JobsBuilder clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /** Sets where ids and jitter come from; unpredictable unless set. */
  public JobsBuilder randomness(Randomness randomness) {
    this.randomness = randomness;
    return this;
  }

  /**
   * Adds who is notified of what queues and workers do, such as traces. There may be several; without one nothing is
   * reported and nothing is paid.
   */
  public JobsBuilder observer(JobsObserver observer) {
    observers.add(observer);
    return this;
  }

  /** The jobs of the store. */
  public Jobs build() {
    JobsHost host = JobsHost.of(vertx, options.getBlockingThreads());
    return new Jobs(host, store, clock, randomness, codec, options, observers, Optional.empty());
  }
}
