package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Sql;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runlane on its Postgres storage and the NOTIFY lane or wakeups over Kafka, of this build or another. */
public final class RunlaneSubject implements Subject {
  /** The name of {@link #overKafka}. */
  public static final String OVER_KAFKA = "runlane over Kafka";

  private static final Set<Role> WORKED =
      EnumSet.of(Role.DRAIN, Role.DEPLOYED_DRAIN, Role.SHARED_DRAIN, Role.PACED_TRIGGER);

  private final String name;
  private final String classPath;
  private final Class<?> mainClass;
  private final List<String> ownOptions;

  private RunlaneSubject(
      String name, String classPath, Class<?> mainClass, List<String> ownOptions) {
    this.name = name;
    this.classPath = classPath;
    this.mainClass = mainClass;
    this.ownOptions = ownOptions;
  }

  private static RunlaneSubject ofThisBuild(
      String name, Class<?> mainClass, List<String> ownOptions) {
    return new RunlaneSubject(name, System.getProperty("java.class.path"), mainClass, ownOptions);
  }

  /** This build. */
  public static RunlaneSubject ofThisBuild() {
    return ofThisBuild("runlane", RunlaneProcess.class, List.of());
  }

  /** This build with metrics, traces of every run and depths. */
  public static RunlaneSubject observed() {
    return ofThisBuild("runlane, observed", ObservedProcess.class, List.of());
  }

  /** This build with wakeups over the broker of this address: what works on them is what it can be measured with. */
  public static RunlaneSubject overKafka(String servers) {
    return ofThisBuild(
        OVER_KAFKA, KafkaProcess.class, List.of("-D" + KafkaProcess.SERVERS + "=" + servers));
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
        RunlaneProcess.class,
        List.of());
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
  public ProcessBuilder process(List<String> jvmOptions) {
    return Subject.super.process(
        Stream.concat(ownOptions.stream(), jvmOptions.stream()).toList());
  }

  @Override
  public boolean measures(Workload workload) {
    return !name.equals(OVER_KAFKA)
        || workload.role() == Role.DEPLOYED_DRAIN
        || workload.role() == Role.PACED_TRIGGER;
  }

  @Override
  public void prepare(Sql sql, Workload workload) {
    OldRuns.store(sql, workload.stored());
    sql.execute("VACUUM ANALYZE");
    sql.execute("CHECKPOINT"); // what was stored is not to be written while others are measured
  }

  @Override
  public void check(Sql sql, Workload workload) {
    boolean worked = WORKED.contains(workload.role());
    long all = workload.allRuns();
    long before = workload.stored().ended();
    long waiting = workload.stored().waiting();
    long ended = worked ? all + before : 0;
    expect(sql, "SELECT count(*) FROM runlane.active_runs", waiting + (worked ? 0 : all));
    expect(sql, "SELECT count(*) FROM runlane.terminal_runs WHERE status = 'succeeded'", ended);
    expect(sql, "SELECT count(*) FROM runlane.terminal_runs WHERE status <> 'succeeded'", 0);
    expect(sql, "SELECT count(*) FROM runlane.outbox_messages", 0);
    expect(
        sql,
        "SELECT count(*) FROM runlane.run_events WHERE type = 'run.created'",
        all + before + waiting);
    expect(sql, "SELECT count(*) FROM runlane.run_events WHERE type = 'run.lease_claimed'", ended);
    expect(sql, "SELECT count(*) FROM runlane.run_events WHERE type = 'run.started'", ended);
    expect(sql, "SELECT count(*) FROM runlane.run_events WHERE type = 'run.succeeded'", ended);
    if (workload.keys().partitions() > 0) {
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
    if (most > workload.keys().limit()) {
      throw new IllegalStateException(
          most + " runs of one partition at the same time, the limit is "
              + workload.keys().limit());
    }
  }
}
