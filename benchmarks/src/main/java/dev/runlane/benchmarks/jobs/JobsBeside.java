package dev.runlane.benchmarks.jobs;

import dev.runlane.benchmarks.load.Bench;
import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.benchmarks.subject.DbSchedulerSubject;
import dev.runlane.benchmarks.subject.JobLoad;
import dev.runlane.benchmarks.subject.NodeQueue;
import dev.runlane.benchmarks.subject.NodeSubject;
import dev.runlane.benchmarks.subject.Role;
import dev.runlane.benchmarks.subject.Subject;
import dev.runlane.benchmarks.subject.Workload;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Other job queues on the same server, in processes and databases of their own. */
final class JobsBeside {
  /** pg-boss looks at all that wait with every fetch, so it likes large ones. */
  static final int MANY = 1_000;

  private JobsBeside() {}

  /** What those can do that are there; says so of those that are not. */
  static List<JsonObject> measure(ScratchServer server, Path project, JobLoad load, JobLoad few) {
    List<JsonObject> results = new ArrayList<>();
    Workload add = Workload.of(JobsProgram.ADD_ONE, Role.ENQUEUE, few.jobs(), few.slots());
    if (DbSchedulerSubject.isThere()) {
      Workload drain = Workload.of("jobs-drain", Role.DRAIN, load.jobs(), load.slots());
      List<String> threads = List.of("-Dthreads=" + load.slots());
      results.add(measure(server, threads, new DbSchedulerSubject(), drain));
      results.add(measure(server, threads, new DbSchedulerSubject(), add));
    } else {
      System.out.println("db-scheduler is not on the class path (-Pcompare): it is left out");
    }
    Optional<Path> node = NodeQueue.installed(project);
    if (node.isPresent()) {
      Path folder = node.orElseThrow();
      results.addAll(nodeQueue(server, folder, "pg-boss", load));
      results.addAll(nodeQueue(server, folder, "pg-boss", load.withSlots(MANY)));
      results.addAll(nodeQueue(server, folder, "graphile-worker", load));
      results.add(measure(server, List.of(), NodeSubject.pgBoss(folder), add));
      results.add(measure(server, List.of(), NodeSubject.graphileWorker(folder), add));
    } else {
      System.out.println("no Node, or no packages for it: its queues are left out");
    }
    return results;
  }

  /** With a thread for each slot, or as many calls under way where there are no threads. */
  private static JsonObject measure(
      ScratchServer server, List<String> jvmOptions, Subject subject, Workload workload) {
    double rate =
        new Bench(server, jvmOptions, Set.of()).measure(subject, workload).value("runsPerSecond");
    JobLoad load = new JobLoad(workload.runs(), 1, workload.concurrency());
    return result(workload.name(), subject.name(), load, Math.round(rate));
  }

  private static List<JsonObject> nodeQueue(
      ScratchServer server, Path folder, String system, JobLoad load) {
    PostgresAddress database = server.createDatabase();
    try {
      JsonObject said = NodeQueue.measure(folder, system, database.toUri(), load);
      return List.of(
          result("jobs-add", system, load, said.getLong("addedPerSecond")),
          result("jobs-drain", system, load, said.getLong("drainedPerSecond")));
    } finally {
      server.drop(database);
    }
  }

  private static JsonObject result(String workload, String system, JobLoad load, long rate) {
    return new JsonObject()
        .put("workload", workload)
        .put("system", system)
        .put("slots", load.slots())
        .put("jobs", load.jobs())
        .put("jobsPerSecond", rate);
  }
}
