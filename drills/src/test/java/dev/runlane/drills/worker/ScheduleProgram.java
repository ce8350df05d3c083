package dev.runlane.drills.worker;

import dev.runlane.drills.fleet.DrillRuntime;
import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.process.ProgramLines;
import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.schedule.SchedulerOptions;
import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;

/**
 * A process of an application with one task and one schedule, whose id other applications use too. Run by the previous
 * version as well, so it asks for nothing that this version added. Tells {@code ready}; ends when it is ended.
 *
 * <p>Arguments: the target, and the application, which names the task.
 */
final class ScheduleProgram {
  static final String SCHEDULE = "tick";
  static final Duration EVERY = Duration.ofSeconds(1);

  private static final int MISSED = 60;

  private ScheduleProgram() {}

  /** Runs until it is ended. */
  public static void main(String[] arguments) {
    ProgramLines.listen(line -> {});
    DrillTarget target = DrillTarget.fromArguments(arguments);
    Vertx vertx = Vertx.vertx();
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setConnectOptions(PgConnectOptions.fromUri(target.uri()))
            .setPoolOptions(new PoolOptions().setMaxSize(4)));
    Task<String> task = Task.define(arguments[DrillTarget.ARGUMENTS], String.class)
        .schedule(Schedule.every(SCHEDULE, EVERY).payload("x").missedFires(MissedFires.all(MISSED)))
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(TaskQueue.of("default").asDefault())
        .task(task)
        .options(new RunlaneOptions()
            .setEnvironment(target.environment())
            .setLeaseDuration(target.lease()))
        .build();
    runlane
        .deploy(
            vertx,
            new RunlaneDeployment()
                .setScheduler(new SchedulerOptions().setClaimDuration(DrillRuntime.CLAIM)))
        .await();
    ProgramLines.tell("ready");
  }
}
