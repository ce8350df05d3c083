package dev.runlane.runtime;

import dev.runlane.runtime.maintenance.CancellationFinalizer;
import dev.runlane.runtime.maintenance.Dispatcher;
import dev.runlane.runtime.maintenance.Retention;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.RemoteSteps;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.publish.OutboxPublisher;
import dev.runlane.runtime.remote.StepDispatcher;
import dev.runlane.runtime.remote.StepResultConsumer;
import dev.runlane.runtime.remote.StepResultVerticle;
import dev.runlane.runtime.schedule.Scheduler;
import dev.runlane.runtime.sweep.RoleLoop;
import dev.runlane.runtime.sweep.SweepOptions;
import dev.runlane.runtime.sweep.SweepRole;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.steps.delivery.StepResultDelivery;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The roles of one deployment on the runtime's own host instead of verticles, for hosts that have no Vert.x, such as
 * {@link dev.runlane.runtime.host.RuntimeHost#singleThread}. Made by {@link Runlane#host}. Stopping them does not close
 * the runtime; a runtime that is closed takes along its workers, so they are stopped first.
 */
public final class HostedRoles {
  private final RuntimeContext context;
  private final List<WorkerHandle> workers = new ArrayList<>();
  private final List<RoleLoop> loops = new ArrayList<>();
  private final List<StepResultDelivery> results = new ArrayList<>();
  private final List<LocalNotifications.Registration> registrations = new ArrayList<>();

  private HostedRoles(RuntimeContext context) {
    this.context = context;
  }

  static Future<HostedRoles> start(Runlane runlane, RunlaneDeployment given) {
    RunlaneDeployment options = new RunlaneDeployment(given);
    HostedRoles hosted = new HostedRoles(runlane.context());
    hosted.startLoops(options);
    List<Future<WorkerHandle>> started = new ArrayList<>();
    if (options.getRoles().contains(RunlaneRole.WORKER)) {
      for (int instance = 0; instance < options.getWorkerInstances(); instance++) {
        started.add(runlane.worker(options.getWorker()).onSuccess(hosted.workers::add));
      }
    }
    return Future.join(started).map(hosted).recover(failure -> hosted
        .stop()
        .transform(stopped -> Future.<HostedRoles>failedFuture(failure)));
  }

  private void startLoops(RunlaneDeployment options) {
    Set<RunlaneRole> roles = options.getRoles();
    if (roles.contains(RunlaneRole.DISPATCHER)) {
      loop("dispatcher", new Dispatcher(context, options.getDispatcher()), options.getDispatcher());
    }
    if (roles.contains(RunlaneRole.OUTBOX_PUBLISHER)) {
      loop(
          "outbox publisher",
          new OutboxPublisher(context, options.getOutboxPublisher()),
          options.getOutboxPublisher());
    }
    if (roles.contains(RunlaneRole.SCHEDULER)) {
      loop("scheduler", new Scheduler(context, options.getScheduler()), options.getScheduler());
    }
    if (roles.contains(RunlaneRole.CANCELLATION_FINALIZER)) {
      loop(
          "cancellation finalizer",
          new CancellationFinalizer(context, options.getCancellationFinalizer()),
          options.getCancellationFinalizer());
    }
    if (roles.contains(RunlaneRole.RETENTION)) {
      loop("retention", new Retention(context, options.getRetention()), options.getRetention());
    }
    context.remoteSteps().ifPresent(steps -> startSteps(steps, options));
  }

  private void startSteps(RemoteSteps steps, RunlaneDeployment options) {
    if (options.getRoles().contains(RunlaneRole.STEP_DISPATCHER)) {
      loop(
          "step dispatcher",
          new StepDispatcher(context, options.getStepDispatcher()),
          options.getStepDispatcher());
    }
    if (options.getRoles().contains(RunlaneRole.STEP_RESULTS)) {
      StepResultDelivery delivery = new StepResultDelivery(
          steps.transport(),
          new StepResultConsumer(context, steps),
          context.ids().workerId(),
          options.getStepResults(),
          context.clock(),
          context.timers());
      results.add(delivery);
      delivery.start();
      registrations.add(
          StepResultVerticle.pollAfterDispatches(context, delivery, context.host()::execute));
    }
  }

  private void loop(String name, SweepRole role, SweepOptions<?> options) {
    RoleLoop loop = new RoleLoop(context, name, role, options, context.host()::execute);
    loops.add(loop);
    loop.start();
  }

  /**
   * Stops workers first, so that what they hand back is still published, then the rest. Fails with the first failure,
   * after everything was tried.
   */
  public Future<Void> stop() {
    registrations.forEach(LocalNotifications.Registration::close);
    return Future.join(workers.stream().map(WorkerHandle::stop).toList())
        .transform(worked -> Future.join(loops.stream().map(RoleLoop::stop).toList())
            .transform(swept -> Future.join(results.stream()
                    .map(delivery -> context.closeDeadline().orExpired(delivery.stop()))
                    .toList())
                .transform(delivered -> {
                  Throwable failure = worked.failed()
                      ? worked.cause()
                      : swept.failed() ? swept.cause() : delivered.cause();
                  return failure == null ? Future.succeededFuture() : Future.failedFuture(failure);
                })));
  }
}
