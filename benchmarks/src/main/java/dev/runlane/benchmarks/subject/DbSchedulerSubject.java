package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Sql;

/** db-scheduler, which keeps no history, on the same server; there only in the profile {@code compare}. */
public final class DbSchedulerSubject implements Subject {
  private static final String MAIN_CLASS = "dev.runlane.benchmarks.compare.DbSchedulerProcess";

  /** Whether it is on the class path. */
  public static boolean isThere() {
    return DbSchedulerSubject.class
            .getClassLoader()
            .getResource(MAIN_CLASS.replace('.', '/') + ".class")
        != null;
  }

  @Override
  public String name() {
    return "db-scheduler";
  }

  @Override
  public String mainClass() {
    return MAIN_CLASS;
  }

  @Override
  public boolean measures(Workload workload) {
    return workload.role() == Role.ENQUEUE_THREADS || Subject.super.measures(workload);
  }

  @Override
  public void check(Sql sql, Workload workload) {
    long expected = workload.role() == Role.DRAIN ? 0 : workload.allRuns();
    long found = sql.number("SELECT count(*) FROM scheduled_tasks");
    if (found != expected) {
      throw new IllegalStateException("expected " + expected + " tasks, found " + found);
    }
  }
}
