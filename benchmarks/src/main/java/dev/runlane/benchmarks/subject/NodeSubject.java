package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Sql;
import java.nio.file.Path;
import java.util.List;

/** A published job queue for Node, which keeps no history, on the same server. */
public record NodeSubject(String name, Path folder, int slots, String left) implements Subject {
  /** Looks at all that wait with every fetch, so it likes large ones. */
  public static NodeSubject pgBoss(Path folder) {
    return new NodeSubject(
        "pg-boss", folder, 1_000, "SELECT count(*) FROM pgboss.job WHERE state <> 'completed'");
  }

  public static NodeSubject graphileWorker(Path folder) {
    return new NodeSubject(
        "graphile-worker", folder, 128, "SELECT count(*) FROM graphile_worker.jobs");
  }

  @Override
  public ProcessBuilder process(List<String> jvmOptions) {
    ProcessBuilder process =
        new ProcessBuilder("node", "subject.mjs", name).directory(folder.toFile());
    process.environment().put("SLOTS", String.valueOf(slots));
    return process;
  }

  @Override
  public String mainClass() {
    throw new UnsupportedOperationException("a program of Node has none");
  }

  @Override
  public void check(Sql sql, Workload workload) {
    long expected = workload.role() == Role.DRAIN ? 0 : workload.allRuns();
    long found = sql.number(left);
    if (found != expected) {
      throw new IllegalStateException("expected " + expected + " jobs, found " + found);
    }
  }
}
