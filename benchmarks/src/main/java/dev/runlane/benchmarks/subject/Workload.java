package dev.runlane.benchmarks.subject;

import java.util.Map;

/**
 * What is measured.
 *
 * @param name as on the command line and in the results
 * @param role what the measured process does
 * @param runs measured runs
 * @param warmUp runs before them, in the same process and on the same tables
 * @param concurrency calls, attempts or threads at the same time; for {@code PACED_TRIGGER} runs a second
 * @param keys of the queue
 * @param stored before the measured runs
 * @param processes that share the work of {@code SHARED_DRAIN}
 * @param settings of the server meanwhile
 */
public record Workload(
    String name,
    Role role,
    int runs,
    int warmUp,
    int concurrency,
    Keys keys,
    Stored stored,
    int processes,
    Map<String, String> settings) {

  /**
   * How a queue is bounded.
   *
   * @param partitions concurrency keys of a bounded queue; 0 for an unbounded queue
   * @param limit runs at the same time in each partition
   */
  public record Keys(int partitions, int limit) {}

  /**
   * Other runs.
   *
   * @param ended terminal runs, each with its history
   * @param waiting runs that the measured process does not work on
   */
  public record Stored(long ended, long waiting) {}

  public Workload {
    settings = Map.copyOf(settings);
  }

  /** A workload of one process on an unbounded queue with nothing stored before. */
  public static Workload of(String name, Role role, int runs, int concurrency) {
    return new Workload(
        name, role, runs, runs, concurrency, new Keys(0, 0), new Stored(0, 0), 1, Map.of());
  }

  /** The same on a bounded queue. */
  public Workload bounded(int partitions, int limit) {
    return with(runs, warmUp, new Keys(partitions, limit), stored, processes, settings);
  }

  /** The same behind other runs. */
  public Workload behind(long ended, long waiting) {
    return with(runs, warmUp, keys, new Stored(ended, waiting), processes, settings);
  }

  /** The same with other numbers of runs. */
  public Workload sized(int measured, int before) {
    return with(measured, before, keys, stored, processes, settings);
  }

  /** As many runs for each of so many processes. */
  public Workload sharedBy(int workers) {
    return with(runs * workers, warmUp * workers, keys, stored, workers, settings);
  }

  /** The same on a server with these settings. */
  public Workload on(Map<String, String> server) {
    return with(runs, warmUp, keys, stored, processes, server);
  }

  private Workload with(
      int measured,
      int before,
      Keys others,
      Stored already,
      int workers,
      Map<String, String> server) {
    return new Workload(
        name, role, measured, before, concurrency, others, already, workers, server);
  }

  /** The same for another role in the same measurement, with so many calls, attempts or threads at the same time. */
  public Workload as(Role other, int atOnce) {
    return new Workload(name, other, runs, warmUp, atOnce, keys, stored, processes, settings);
  }

  /** All runs of one round. */
  public int allRuns() {
    return runs + warmUp;
  }
}
