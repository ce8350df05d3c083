package dev.runlane.benchmarks;

/** Runlane on its Postgres storage and the NOTIFY lane. */
final class RunlaneSubject implements Subject {
  @Override
  public String name() {
    return "runlane";
  }

  @Override
  public String mainClass() {
    return RunlaneProcess.class.getName();
  }

  @Override
  public boolean measures(Workload workload) {
    return true;
  }

  @Override
  public void prepare(Sql sql, Workload workload) {
    if (workload.oldRuns() > 0) {
      OldRuns.store(sql, workload.oldRuns());
    }
    sql.execute("VACUUM ANALYZE");
  }

  @Override
  public void check(Sql sql, Workload workload) {
    boolean worked = workload.role() == Role.DRAIN || workload.role() == Role.PACED_TRIGGER;
    long all = workload.allRuns();
    expect(sql, "active_runs", worked ? 0 : all);
    expect(sql, "terminal_runs WHERE status = 'succeeded'", worked ? all + workload.oldRuns() : 0);
    expect(sql, "terminal_runs WHERE status <> 'succeeded'", 0);
    expect(sql, "outbox_messages", 0);
    expect(sql, "run_events WHERE type = 'run.created'", all + workload.oldRuns());
    for (String once : new String[] {"run.lease_claimed", "run.started", "run.succeeded"}) {
      expect(sql, "run_events WHERE type = '" + once + "'", worked ? all + workload.oldRuns() : 0);
    }
    if (workload.partitions() > 0) {
      checkLimit(sql, workload);
    }
  }

  private static void expect(Sql sql, String rows, long expected) {
    long found = sql.number("SELECT count(*) FROM runlane." + rows);
    if (found != expected) {
      throw new IllegalStateException(
          "expected " + expected + " rows of " + rows + ", found " + found);
    }
  }

  /** In the order of event ids, which inside a partition is the order in which things happened. */
  private static void checkLimit(Sql sql, Workload workload) {
    long most = sql.number("""
        SELECT coalesce(max(running), 0) FROM (
          SELECT sum(CASE e.type WHEN 'run.started' THEN 1 ELSE -1 END)
            OVER (PARTITION BY t.concurrency_key ORDER BY e.event_id) AS running
          FROM runlane.run_events e JOIN runlane.terminal_runs t USING (env, run_id)
          WHERE e.type IN ('run.started', 'run.succeeded')) AS occupied""");
    if (most > workload.limit()) {
      throw new IllegalStateException(
          most + " runs of one partition at the same time, the limit is " + workload.limit());
    }
  }
}
