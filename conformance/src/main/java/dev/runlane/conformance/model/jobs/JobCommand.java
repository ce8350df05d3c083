package dev.runlane.conformance.model.jobs;

import dev.runlane.jobs.store.JobStore;
import io.vertx.core.Future;

/** One call of a job store, as a record: for an adapter and for the model, which is a job store too. */
public interface JobCommand {
  /** Calls it. */
  Future<?> to(JobStore store);
}
