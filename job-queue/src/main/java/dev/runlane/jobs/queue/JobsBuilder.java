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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Makes a {@link Jobs}. */
public final class JobsBuilder {
  private final Function<JobsOptions, JobsHost> host;
  private final JobStore store;
  private final Optional<Duration> pollInterval;
  private JobsOptions options = new JobsOptions();
  private JsonCodec codec = JsonCodec.standard();
  private Clock clock = Clock.system();
  private Randomness randomness = Randomness.system();
  private final List<JobsObserver> observers = new ArrayList<>();

  JobsBuilder(Vertx vertx, JobStore store) {
    this(options -> JobsHost.of(vertx, options.getBlockingThreads()), store, Optional.empty());
  }

  /** On another host, which may say how often workers poll. */
  JobsBuilder(
      Function<JobsOptions, JobsHost> host, JobStore store, Optional<Duration> pollInterval) {
    this.host = host;
    this.store = store;
    this.pollInterval = pollInterval;
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
    return codec(JsonCodec.of(mapper));
  }

  /** The same for a codec that is there already, such as that of the runs beside the jobs. */
  public JobsBuilder codec(JsonCodec codec) {
    this.codec = codec;
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
    return new Jobs(
        host.apply(options), store, clock, randomness, codec, options, observers, pollInterval);
  }
}
