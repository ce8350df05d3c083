package dev.runlane.jobs.queue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.jobs.JobStore;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Randomness;
import io.vertx.core.Vertx;
import java.util.Optional;

/** Makes a {@link Jobs}. */
public final class JobsBuilder {
  private final Vertx vertx;
  private final JobStore store;
  private JobsOptions options = new JobsOptions();
  private ObjectMapper mapper = Payloads.defaultMapper();
  private Clock clock = Clock.system();
  private Randomness randomness = Randomness.system();

  JobsBuilder(Vertx vertx, JobStore store) {
    this.vertx = vertx;
    this.store = store;
  }

  /** Sets the options, which are copied. */
  public JobsBuilder options(JobsOptions options) {
    this.options = new JobsOptions(options);
    return this;
  }

  /** Sets how payloads and return values become JSON and back; the mapper is copied. */
  public JobsBuilder objectMapper(ObjectMapper mapper) {
    this.mapper = mapper.copy();
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

  /** The jobs of the store. */
  public Jobs build() {
    Home home = Home.of(vertx, options.getBlockingThreads());
    return new Jobs(home, store, clock, randomness, mapper, options, Optional.empty());
  }
}
