package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Sql;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runlane on its Postgres storage and the NOTIFY lane, of this build or another. */
public final class RunlaneSubject implements Subject {
  private final String name;
  private final String classPath;
  private final Class<?> mainClass;

  private RunlaneSubject(String name, String classPath, Class<?> mainClass) {
    this.name = name;
    this.classPath = classPath;
    this.mainClass = mainClass;
  }

  /** This build. */
  public static RunlaneSubject ofThisBuild() {
    return new RunlaneSubject(
        "runlane", System.getProperty("java.class.path"), RunlaneProcess.class);
  }

  /** This build with metrics, traces of every run and depths. */
  public static RunlaneSubject observed() {
    return new RunlaneSubject(
        "runlane, observed", System.getProperty("java.class.path"), ObservedProcess.class);
  }

  /**
   * The build of another checkout, under this build's load program, so that both do the same. Throws when its load
   * program was not built.
   */
  public static RunlaneSubject ofBuild(Path checkout) {
    Path libraries = checkout.resolve("benchmarks/target/libraries").toAbsolutePath();
    if (!Files.isDirectory(libraries)) {
      throw new IllegalArgumentException("no load program was built in " + checkout);
    }
    String program = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> Files.isDirectory(Path.of(entry)))
        .collect(Collectors.joining(File.pathSeparator));
    return new RunlaneSubject(
        "runlane of " + checkout.getFileName(),
        program + File.pathSeparator + libraries.resolve("*"),
        RunlaneProcess.class);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String classPath() {
    return classPath;
  }

  @Override
  public String mainClass() {
    return mainClass.getName();
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
    long ended = worked ? all + workload.oldRuns() : 0;
    expect(sql, "SELECT count(*) FROM runlane.active_runs", worked ? 0 : all);
    expect(sql, "SELECT count(*) FROM runlane.terminal_runs WHERE status = 'succeeded'", ended);
    expect(sql, "SELECT count(*) FROM runlane.terminal_runs WHERE status <> 'succeeded'", 0);
    expect(sql, "SELECT count(*) FROM runlane.outbox_messages", 0);
    expect(
        sql,
        "SELECT count(*) FROM runlane.run_events WHERE type = 'run.created'",
        all + workload.oldRuns());
    expect(sql, "SELECT count(*) FROM runlane.run_events WHERE type = 'run.lease_claimed'", ended);
    expect(sql, "SELECT count(*) FROM runlane.run_events WHERE type = 'run.started'", ended);
    expect(sql, "SELECT count(*) FROM runlane.run_events WHERE type = 'run.succeeded'", ended);
    if (workload.partitions() > 0) {
      checkLimit(sql, workload);
    }
  }

  private static void expect(Sql sql, String count, long expected) {
    long found = sql.number(count);
    if (found != expected) {
      throw new IllegalStateException("expected " + expected + ", found " + found + ": " + count);
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
