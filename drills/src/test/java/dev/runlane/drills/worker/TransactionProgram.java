package dev.runlane.drills.worker;

import dev.runlane.drills.fleet.DrillRuntime;
import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.fleet.WorkItem;
import dev.runlane.drills.fleet.WorkItem.Behaviour;
import dev.runlane.drills.process.ProgramLines;
import dev.runlane.runtime.task.TriggerOptions;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Transaction;
import io.vertx.sqlclient.Tuple;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Stores orders, each with its run in one transaction. Tells {@code triggered N} before each commit and
 * {@code committed N} after it. Every seventh order is rolled back.
 *
 * <p>Arguments: the target, the first number, the number after the last, and {@code asked} if it is to
 * wait for a line before each commit.
 */
final class TransactionProgram {
  private static final String INSERT = "INSERT INTO drill_orders (id, run_id) VALUES ($1, $2)";

  private final DrillRuntime runtime;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final boolean asked;

  private TransactionProgram(DrillRuntime runtime, String mode) {
    this.runtime = runtime;
    asked = mode.equals("asked");
  }

  /** Ends by itself. */
  public static void main(String[] arguments) throws InterruptedException {
    DrillRuntime runtime =
        DrillRuntime.create(Vertx.vertx(), DrillTarget.fromArguments(arguments), "caller");
    TransactionProgram program =
        new TransactionProgram(runtime, arguments[DrillTarget.ARGUMENTS + 2]);
    ProgramLines.listen(program.lines::add);
    runtime.runlane().start().await();
    ProgramLines.tell("ready");
    int to = Integer.parseInt(arguments[DrillTarget.ARGUMENTS + 1]);
    for (int number = Integer.parseInt(arguments[DrillTarget.ARGUMENTS]); number < to; number++) {
      program.order(number);
    }
    runtime.close().await();
    ProgramLines.tell("done");
    System.exit(0);
  }

  private void order(int number) throws InterruptedException {
    String runId = "order-" + number;
    SqlConnection connection = runtime.pool().getConnection().await();
    Transaction transaction = connection.begin().await();
    connection.preparedQuery(INSERT).execute(Tuple.of((long) number, runId)).await();
    runtime
        .runlane()
        .inTransaction(runtime.storage().on(connection))
        .trigger(
            runtime.tasks().work(),
            new WorkItem(number, Behaviour.SUCCEED, 0),
            new TriggerOptions().setRunId(runId).setIdempotencyKey(runId))
        .await();
    ProgramLines.tell("triggered " + number);
    if (asked) {
      lines.take();
    }
    if (number % 7 == 6) {
      transaction.rollback().await();
    } else {
      transaction.commit().await();
      ProgramLines.tell("committed " + number);
    }
    connection.close().await();
  }
}
