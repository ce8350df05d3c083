package dev.runlane.benchmarks.load;

import dev.runlane.benchmarks.measure.Costs;
import dev.runlane.benchmarks.measure.Cpu;
import dev.runlane.benchmarks.measure.LogVolume;
import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.benchmarks.subject.Role;
import dev.runlane.benchmarks.subject.Subject;
import dev.runlane.benchmarks.subject.Workload;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** Measures single rounds, each in a database and processes of its own. Blocks. */
public final class Bench {
  private final ScratchServer server;
  private final List<String> jvmOptions;
  private final boolean logVolume;

  public Bench(ScratchServer server, List<String> jvmOptions, boolean logVolume) {
    this.server = server;
    this.jvmOptions = List.copyOf(jvmOptions);
    this.logVolume = logVolume;
  }

  /** One round. Throws when a check fails: figures of wrong work are worth nothing. */
  public Measurement measure(Subject subject, Workload workload) {
    PostgresAddress database = server.createDatabase();
    try (Sql sql = server.open(database)) {
      Subject.Round round = new Subject.Round(workload, database);
      return workload.role() == Role.PACED_TRIGGER
          ? inTwoProcesses(subject, round, sql)
          : inOneProcess(subject, round, sql);
    } finally {
      server.drop(database);
    }
  }

  private Measurement inOneProcess(Subject subject, Subject.Round round, Sql sql) {
    Workload workload = round.workload();
    try (MeasuredProcess process = start(subject, round, workload)) {
      process.await("started");
      subject.prepare(sql, workload);
      process.go();
      process.await("ready");
      String logBegin = LogVolume.end(sql);
      Costs before = costs(sql, process);
      process.go();
      JsonObject results = process.await("done");
      Costs used = costs(sql, process).since(before);
      if (logVolume) {
        System.out.println(
            subject.name() + ", " + workload.name() + ": records, bytes, page images a run");
        System.out.println(LogVolume.since(sql, logBegin, workload.runs()));
      }
      process.end();
      subject.check(sql, workload);
      return Measurement.of(workload, subject.name(), results, used, new JsonObject());
    }
  }

  private Measurement inTwoProcesses(Subject subject, Subject.Round round, Sql sql) {
    Workload workload = round.workload();
    try (MeasuredProcess worker = start(subject, round, workload.as(Role.WAITING_WORKER));
        MeasuredProcess trigger = start(subject, round, workload)) {
      worker.await("started");
      trigger.await("started");
      subject.prepare(sql, workload);
      worker.go();
      worker.await("ready");
      worker.go();
      trigger.go();
      trigger.await("ready");
      Costs before = costs(sql, worker, trigger);
      trigger.go();
      JsonObject results = trigger.await("done");
      JsonObject latencies = worker.await("done");
      Costs used = costs(sql, worker, trigger).since(before);
      trigger.end();
      worker.end();
      subject.check(sql, workload);
      return Measurement.of(workload, subject.name(), results, used, latencies);
    }
  }

  private MeasuredProcess start(Subject subject, Subject.Round round, Workload forProcess) {
    return MeasuredProcess.start(subject, round.settings(forProcess), jvmOptions);
  }

  private Costs costs(Sql sql, MeasuredProcess... processes) {
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
