package dev.runlane.benchmarks;

/**
 * How many jobs are added and worked off.
 *
 * @param jobs all of them; as many before, as warm-up
 * @param jobsACall added with one call
 * @param slots worked on at the same time
 */
record JobLoad(int jobs, int jobsACall, int slots) {
  /** The same with so many slots. */
  JobLoad withSlots(int other) {
    return new JobLoad(jobs, jobsACall, other);
  }
}
