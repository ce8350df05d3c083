package dev.runlane.benchmarks.load;

import dev.runlane.benchmarks.measure.Costs;
import dev.runlane.benchmarks.measure.Cpu;
import dev.runlane.benchmarks.measure.LogVolume;
import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.benchmarks.measure.Statements;
import dev.runlane.benchmarks.subject.Role;
import dev.runlane.benchmarks.subject.Subject;
import dev.runlane.benchmarks.subject.Workload;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BinaryOperator;

/** Measures single rounds, each in a database and processes of its own. Blocks. */
public final class Bench {
  /** What a worker takes on {@link Role#SHARED_DRAIN}, so that Postgres has cores left even for two of them. */
  private static final double CORES_OF_A_PROCESS = 0.25;

  private final ScratchServer server;
  private final List<String> jvmOptions;
  private final Set<Detail> details;

  /** What else than costs is looked at where one process works. */
  public enum Detail {
    /** What the server's log consists of. */
    LOG_VOLUME,
    /** What statements read, and how many there were: needs {@link Statements#SETTINGS}. */
    STATEMENTS
  }

  public Bench(ScratchServer server, List<String> jvmOptions, Set<Detail> details) {
    this.server = server;
    this.jvmOptions = List.copyOf(jvmOptions);
    this.details = Set.copyOf(details);
  }

  /** One round. Throws when a check fails: figures of wrong work are worth nothing. */
  public Measurement measure(Subject subject, Workload workload) {
    PostgresAddress database = server.createDatabase();
    try (Sql sql = server.open(database)) {
      change(workload, sql, (name, value) -> "SET " + name + " = '" + value + "'");
      return switch (workload.role()) {
        case PACED_TRIGGER -> inTwoProcesses(subject, new Subject.Round(workload, database), sql);
        case SHARED_DRAIN -> shared(subject, new Subject.Round(workload, database), sql);
        default -> inOneProcess(subject, new Subject.Round(workload, database), sql);
      };
    } finally {
      try (Sql sql = server.open()) {
        change(workload, sql, (name, value) -> "RESET " + name);
      }
      server.drop(database);
    }
  }

  private static void change(Workload workload, Sql sql, BinaryOperator<String> how) {
    workload
        .settings()
        .forEach((name, value) -> sql.execute("ALTER SYSTEM " + how.apply(name, value)));
    sql.execute("SELECT pg_reload_conf()");
  }

  private Measurement inOneProcess(Subject subject, Subject.Round round, Sql sql) {
    Workload workload = round.workload();
    try (MeasuredProcess process = start(subject, round, workload)) {
      process.await("started");
      subject.prepare(sql, workload);
      process.go();
      process.await("ready");
      String logBegin = LogVolume.end(sql);
      if (details.contains(Detail.STATEMENTS)) {
        Statements.begin(sql);
      }
      Costs before = costs(sql, List.of(process));
      process.go();
      JsonObject results = process.await("done");
      Costs used = costs(sql, List.of(process)).since(before);
      JsonObject more = details.contains(Detail.STATEMENTS)
          ? Statements.since(sql, workload.runs())
          : new JsonObject();
      if (details.contains(Detail.LOG_VOLUME)) {
        System.out.println(
            subject.name() + ", " + workload.name() + ": records, bytes, page images a run");
        System.out.println(LogVolume.since(sql, logBegin, workload.runs()));
      }
      process.end();
      subject.check(sql, workload);
      return Measurement.of(workload, subject.name(), results, used, more);
    }
  }

  /** What one process fills, others work off, each with its share of the cores. */
  private Measurement shared(Subject subject, Subject.Round round, Sql sql) {
    Workload workload = round.workload();
    try (MeasuredProcess filler = start(subject, round, workload.as(Role.ENQUEUE_MANY, 2));
        SharingProcesses workers =
            SharingProcesses.start(workload.processes(), () -> start(subject, round, workload))) {
      filler.await("started");
      workers.await("started");
      subject.prepare(sql, workload);
      workers.go();
      workers.await("waiting");
      filler.go();
      filler.await("ready");
      workers.go();
      workers.await("ready");
      filler.go();
      filler.await("done");
      filler.end();
      workers.cap(CORES_OF_A_PROCESS);
      Costs before = costs(sql, workers.all());
      workers.go();
      JsonObject results = workers.await("done");
      Costs used = costs(sql, workers.all()).since(before);
      workers.end();
      subject.check(sql, workload);
      return Measurement.of(workload, subject.name(), results, used, new JsonObject());
    }
  }

  private Measurement inTwoProcesses(Subject subject, Subject.Round round, Sql sql) {
    Workload workload = round.workload();
    try (MeasuredProcess worker =
            start(subject, round, workload.as(Role.WAITING_WORKER, workload.concurrency()));
        MeasuredProcess trigger = start(subject, round, workload)) {
      worker.await("started");
      trigger.await("started");
      subject.prepare(sql, workload);
      worker.go();
      worker.await("ready");
      worker.go();
      trigger.go();
      trigger.await("ready");
      Costs before = costs(sql, List.of(worker, trigger));
      trigger.go();
      JsonObject results = trigger.await("done");
      JsonObject latencies = worker.await("done");
      Costs used = costs(sql, List.of(worker, trigger)).since(before);
      trigger.end();
      worker.end();
      subject.check(sql, workload);
      return Measurement.of(workload, subject.name(), results, used, latencies);
    }
  }

  private MeasuredProcess start(Subject subject, Subject.Round round, Workload forProcess) {
    return MeasuredProcess.start(subject, round.settings(forProcess), jvmOptions);
  }

  private Costs costs(Sql sql, List<MeasuredProcess> processes) {
    List<Long> clients = new ArrayList<>();
    for (MeasuredProcess process : processes) {
      clients.add(Cpu.ofProcess(process.pid()));
    }
    long server = Cpu.ofServer(this.server.pid());
    long wal = sql.number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
    long writes = sql.number("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
    return new Costs(clients.stream().mapToLong(Long::longValue).sum(), server, wal, writes);
  }
}
