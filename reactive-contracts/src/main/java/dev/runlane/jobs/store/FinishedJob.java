package dev.runlane.jobs.store;

import dev.runlane.jobs.JobRef;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All that was changed when a job ended or was put back, in one transaction.
 *
 * @param job what became of the job itself
 * @param ancestors the flow's parents that changed state or were removed, from the nearest upwards
 * @param next the next job of the series that was stored, or null
 * @param deadLetter the copy in a dead-letter queue, or null; that of an ancestor is not named
 */
public record FinishedJob(
    JobChange job,
    List<JobChange> ancestors,
    @Nullable SavedJob next,
    @Nullable JobRef deadLetter) {
  /** Copies the ancestors and refuses a null change. */
  public FinishedJob {
    Objects.requireNonNull(job);
    ancestors = List.copyOf(ancestors);
  }
}
