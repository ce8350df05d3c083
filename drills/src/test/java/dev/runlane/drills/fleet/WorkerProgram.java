package dev.runlane.drills.fleet;

import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.ProgramLines;
import dev.runlane.drills.process.WakeupCounts;
import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.transport.kafka.KafkaTransport;
import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * A process with all roles. Tells {@code ready}; SIGTERM undeploys everything and tells {@code stopped}. On
 * Kafka it tells what its consumer has done with wakeups, whenever that has changed.
 *
 * <p>Arguments: the target, the worker's id, and perhaps how often it looks for work unasked.
 */
public final class WorkerProgram {
  private static final long COUNTS_MILLIS = 100;

  private WorkerProgram() {}

  /** Runs until it is ended. */
  public static void main(String[] arguments) {
    ProgramLines.listen(line -> {});
    String worker = arguments[DrillTarget.ARGUMENTS];
    DrillRuntime runtime =
        DrillRuntime.create(Vertx.vertx(), DrillTarget.fromArguments(arguments), worker);
    RunlaneDeployment roles = DrillRuntime.allRoles(worker);
    if (arguments.length > DrillTarget.ARGUMENTS + 1) {
      Duration poll = Duration.parse(arguments[DrillTarget.ARGUMENTS + 1]);
      roles.setWorker(roles.getWorker().setPollInterval(poll));
    }
    DeployedRunlane deployed = runtime.runlane().deploy(runtime.vertx(), roles).await();
    runtime.kafka().ifPresent(kafka -> tellCounts(runtime.vertx(), kafka));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(runtime, deployed), "stop"));
    ProgramLines.tell("ready");
  }

  private static void tellCounts(Vertx vertx, KafkaTransport kafka) {
    WakeupCounts[] told = {WakeupCounts.NONE};
    vertx.setPeriodic(COUNTS_MILLIS, tick -> {
      WakeupCounts now = WakeupCounts.of(kafka.deliveryCounts());
      if (!now.equals(told[0])) {
        told[0] = now;
        ProgramLines.tell(now.toLine(System.currentTimeMillis()));
      }
    });
  }

  private static void stop(DrillRuntime runtime, DeployedRunlane deployed) {
    try {
      Await.result(deployed.undeploy().eventually(runtime::close));
      ProgramLines.tell("stopped");
    } catch (Exception failure) {
      failure.printStackTrace();
      ProgramLines.tell("stop failed: " + failure);
    }
  }
}
