package dev.runlane.jobs.memory;

import dev.runlane.conformance.fixture.JobStoreFixture;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** One store in memory for each kind of options that a case opens with, possibly broken. */
final class MemoryJobStoreFixture implements JobStoreFixture {
  private final Map<Boolean, JobStore> byMetrics = new HashMap<>();
  private final UnaryOperator<JobStore> wrapping;

  MemoryJobStoreFixture(UnaryOperator<JobStore> wrapping) {
    this.wrapping = wrapping;
  }

  @Override
  public Future<JobStore> open(JobStoreOptions options) {
    JobStore store = byMetrics.computeIfAbsent(
        options.isMetricsEnabled(), on -> wrapping.apply(new MemoryJobStore(options)));
    return store.connect().map(store);
  }

  @Override
  public Future<Void> close() {
    return Future.join(byMetrics.values().stream().map(JobStore::disconnect).toList())
        .mapEmpty();
  }
}
