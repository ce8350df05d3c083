package dev.runlane.conformance;

import dev.runlane.jobs.JobStore;
import dev.runlane.jobs.JobStoreOptions;
import io.vertx.core.Future;

/** A store without jobs. */
public interface JobStoreFixture extends Fixture {
  /**
   * Opens a connected store with these options; called again, another one on the same state, or, where the state
   * lives inside the store, the same one. A case may open one with other options, which is another store, on the same state or on none.
   */
  Future<JobStore> open(JobStoreOptions options);
}
