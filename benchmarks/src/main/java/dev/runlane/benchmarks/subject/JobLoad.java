package dev.runlane.benchmarks.subject;

/**
 * How many jobs are added and worked off.
 *
 * @param jobs all of them; as many before, as warm-up
 * @param jobsACall added with one call
 * @param slots worked on at the same time
 */
public record JobLoad(int jobs, int jobsACall, int slots) {
  /** The same with so many slots. */
  public JobLoad withSlots(int other) {
    return new JobLoad(jobs, jobsACall, other);
  }
}
