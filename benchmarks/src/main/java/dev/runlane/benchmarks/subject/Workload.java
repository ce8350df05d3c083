package dev.runlane.benchmarks.subject;

/**
 * What is measured.
 *
 * @param name as on the command line and in the results
 * @param role what the measured process does
 * @param runs measured runs
 * @param warmUp runs before them, in the same process and on the same tables
 * @param concurrency calls, attempts or threads at the same time; for {@code PACED_TRIGGER} runs a second
 * @param partitions concurrency keys of a bounded queue; 0 for an unbounded queue
 * @param limit runs at the same time in each partition
 * @param oldRuns terminal runs, each with its history, that are stored before the measured ones
 */
public record Workload(
    String name,
    Role role,
    int runs,
    int warmUp,
    int concurrency,
    int partitions,
    int limit,
    long oldRuns) {

  /** A workload on an unbounded queue with no old runs. */
  public static Workload of(String name, Role role, int runs, int concurrency) {
    return new Workload(name, role, runs, runs, concurrency, 0, 0, 0);
  }

  /** The same on a bounded queue. */
  public Workload bounded(int keys, int atOnce) {
    return new Workload(name, role, runs, warmUp, concurrency, keys, atOnce, oldRuns);
  }

  /** The same with old runs. */
  public Workload withOldRuns(long old) {
    return new Workload(name, role, runs, warmUp, concurrency, partitions, limit, old);
  }

  /** The same for another role in the same measurement. */
  public Workload as(Role other) {
    return new Workload(name, other, runs, warmUp, concurrency, partitions, limit, oldRuns);
  }

  /** The same with other numbers of runs. */
  public Workload sized(int measured, int before) {
    return new Workload(name, role, measured, before, concurrency, partitions, limit, oldRuns);
  }

  /** All runs of one round. */
  public int allRuns() {
    return runs + warmUp;
  }
}
