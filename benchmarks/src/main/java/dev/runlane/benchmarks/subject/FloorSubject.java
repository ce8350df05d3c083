package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Sql;

/** The least that keeps five events of each run, without checks, in the best batched SQL: what no design gets below. */
public final class FloorSubject implements Subject {
  @Override
  public String name() {
    return "floor";
  }

  @Override
  public String mainClass() {
    return FloorProcess.class.getName();
  }

  @Override
  public void check(Sql sql, Workload workload) {
    boolean drained = workload.role() == Role.DRAIN;
    long all = workload.allRuns();
    expect(sql, "SELECT count(*) FROM waiting", drained ? 0 : all);
    expect(sql, "SELECT count(*) FROM leased", 0);
    expect(sql, "SELECT count(*) FROM ended", drained ? all : 0);
    expect(sql, "SELECT count(*) FROM events", drained ? 5 * all : 2 * all);
  }

  private static void expect(Sql sql, String count, long expected) {
    long found = sql.number(count);
    if (found != expected) {
      throw new IllegalStateException("expected " + expected + ", found " + found + ": " + count);
    }
  }
}
