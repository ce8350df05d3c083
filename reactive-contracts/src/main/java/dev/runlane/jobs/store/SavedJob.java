package dev.runlane.jobs.store;

import dev.runlane.jobs.JobState;
import java.util.Objects;

/**
 * What became of a job that was to be stored.
 *
 * @param id the job that stands for it now
 * @param outcome whether that is a new one
 * @param state the state of that job
 */
public record SavedJob(String id, Outcome outcome, JobState state) {
  /** What became of it. */
  public enum Outcome {
    /** It was stored. */
    STORED,
    /** A job with its id, or an open one with its deduplication key, was there and is unchanged. */
    EXISTING,
    /** The open job with its deduplication key got its name, payload and options, as its mode says. */
    REPLACED
  }

  /** Refuses null. */
  public SavedJob {
    Objects.requireNonNull(id);
    Objects.requireNonNull(outcome);
    Objects.requireNonNull(state);
  }
}
