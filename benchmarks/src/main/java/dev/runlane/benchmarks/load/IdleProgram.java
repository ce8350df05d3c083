package dev.runlane.benchmarks.load;

import dev.runlane.benchmarks.measure.Cpu;
import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.benchmarks.measure.TimedCalls;
import dev.runlane.benchmarks.subject.RunlaneHost;
import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What one process with all roles and ten bounded queues asks of Postgres while nothing happens: every statement,
 * those that keep the LISTEN connection alive included.
 */
public final class IdleProgram {
  private static final int QUEUES = 10;
  private static final int SECONDS = 30;

  private IdleProgram() {}

  /** {@code [SECONDS]}: how long is counted, and as long before that nothing is; {@value #SECONDS} unless given. */
  public static void main(String[] args) {
    int seconds = args.length > 0 ? Integer.parseInt(args[0]) : SECONDS;
    System.out.println(Targets.table(List.of(measure(seconds))));
  }

  /** The same for {@value #SECONDS} s. */
  public static Measurement measure() {
    return measure(SECONDS);
  }

  private static Measurement measure(int seconds) {
    Vertx vertx = Vertx.vertx();
    try (ScratchServer server = ScratchServer.start(Map.of())) {
      System.out.println("On " + server.description());
      PostgresAddress database = server.createDatabase();
      PgStorageAdapter storage = PgStorageAdapter.create(
          vertx, new PgStorageOptions().setConnectOptions(RunlaneHost.connection(database)));
      Runlane runlane = runlane(vertx, storage);
      TimedCalls.await(runlane.deploy(vertx, new RunlaneDeployment()));
      TimedCalls.await(vertx.timer(seconds, TimeUnit.SECONDS));
      try (Sql sql = server.open(database)) {
        long statements = statements(sql);
        long micros = Cpu.ofServer(server.pid());
        TimedCalls.await(vertx.timer(seconds, TimeUnit.SECONDS));
        micros = Cpu.ofServer(server.pid()) - micros;
        statements = statements(sql) - statements;
        JsonObject told = new JsonObject()
            .put("workload", "idle")
            .put("queues", QUEUES)
            .put("statementsPerSecond", (double) statements / seconds)
            .put("serverCpuMicrosPerSecond", micros / seconds);
        System.out.println(told.encode());
        return Measurement.told(told);
      } finally {
        TimedCalls.await(runlane.close());
      }
    } finally {
      TimedCalls.await(vertx.close());
    }
  }

  private static Runlane runlane(Vertx vertx, PgStorageAdapter storage) {
    List<TaskQueue> queues = new ArrayList<>();
    queues.add(TaskQueue.of("plain").asDefault());
    List<Task<?>> tasks = new ArrayList<>();
    for (int number = 0; number < QUEUES; number++) {
      TaskQueue queue = TaskQueue.of("bounded-" + number).concurrencyLimit(10);
      queues.add(queue);
      tasks.add(Task.define("task-" + number, String.class)
          .queue(queue)
          .handler((payload, context) -> Future.succeededFuture(TaskResult.done())));
    }
    return Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queues(queues)
        .tasks(tasks)
        .build();
  }

  /** Each statement of an idle process is a transaction of its own. */
  private static long statements(Sql sql) {
    return sql.number("SELECT xact_commit + xact_rollback FROM pg_stat_database"
        + " WHERE datname = current_database()");
  }
}
