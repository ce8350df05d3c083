package dev.runlane.steps.sql;

import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.pgclient.PgConnectOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A worker in a JVM of its own whose handler never answers, and says so. */
final class WorkerProgram {
  private static final long LONGEST_SECONDS = 120;
  private static final String RUNNING = "running ";

  private WorkerProgram() {}

  /** Arguments: the address of the database, the prefix, the lease in milliseconds, the name of the steps. */
  public static void main(String[] arguments) {
    Vertx vertx = Vertx.vertx();
    SqlStepOptions options = new SqlStepOptions().setPrefix(arguments[1]).setPoolSize(3);
    SqlStepTransport transport = arguments[0].startsWith("mysql")
        ? MysqlSteps.transport(vertx, MySQLConnectOptions.fromUri(arguments[0]), options)
        : SqlStepTransport.postgres(vertx, PgConnectOptions.fromUri(arguments[0]), options);
    Duration lease = Duration.ofMillis(Long.parseLong(arguments[2]));
    SqlStepWorker.create(vertx, transport, StepScene.quick().setLease(lease))
        .handle(arguments[3], call -> {
          System.out.println(RUNNING + call.task().stepId());
          return Promise.<StepOutcome>promise().future();
        })
        .start()
        .onFailure(failure -> System.out.println("not started: " + failure));
  }

  static Process start(SqlStepFixture tables, Duration lease, String name) throws IOException {
    Process program = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-cp",
            System.getProperty("java.class.path"),
            WorkerProgram.class.getName(),
            tables.uri(),
            tables.options().getPrefix(),
            String.valueOf(lease.toMillis()),
            name)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    CompletableFuture.delayedExecutor(LONGEST_SECONDS, TimeUnit.SECONDS)
        .execute(program::destroyForcibly); // who waits for a step of it waits no longer
    return program;
  }

  /** The step that its handler has been called with; waits for that. */
  static String awaitStep(Process program) throws IOException {
    String line = program.inputReader(StandardCharsets.UTF_8).readLine();
    if (line == null || !line.startsWith(RUNNING)) {
      throw new AssertionError("no handler runs, but: " + line);
    }
    return line.substring(RUNNING.length());
  }
}
