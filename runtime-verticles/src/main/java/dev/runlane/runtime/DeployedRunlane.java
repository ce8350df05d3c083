package dev.runlane.runtime;

import dev.runlane.runtime.maintenance.CancellationFinalizerVerticle;
import dev.runlane.runtime.maintenance.DispatcherVerticle;
import dev.runlane.runtime.maintenance.RetentionVerticle;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.publish.OutboxPublisherVerticle;
import dev.runlane.runtime.remote.StepDispatcherVerticle;
import dev.runlane.runtime.remote.StepResultVerticle;
import dev.runlane.runtime.schedule.SchedulerVerticle;
import dev.runlane.runtime.worker.LeaseHeartbeaterVerticle;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.runtime.worker.WorkerVerticle;
import dev.runlane.transport.DeliverySource;
import io.vertx.core.Closeable;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The verticles of one deployment. Undeploying them does not close the runtime. A Vert.x that is closed undeploys them
 * too, and then they stop within the runtime's close timeout.
 */
public final class DeployedRunlane {
  private final Vertx vertx;
  private final Closeable onClose; // of Vert.x, which undeploys what is left
  private final Closeable onOwnersEnd; // which undeploys it too
  private final @Nullable ContextInternal owner; // of the verticle that deployed it
  private final Verticles workers = new Verticles();
  private final Verticles maintenance = new Verticles();
  private Runnable whenUndeployed = () -> {};

  private DeployedRunlane(Vertx vertx, Closeable onClose) {
    this.vertx = vertx;
    this.onClose = onClose;
    this.onOwnersEnd = ended -> {
      forgetClose();
      ended.succeed();
    };
    ContextInternal caller = ((VertxInternal) vertx).getContext();
    owner = caller == null || !caller.isDeployment() ? null : caller;
  }

  static Future<DeployedRunlane> deploy(Runlane runlane, Vertx vertx, RunlaneDeployment given) {
    RunlaneDeployment options = new RunlaneDeployment(given);
    DeployedRunlane deployed = new DeployedRunlane(vertx, closing -> {
      runlane.startCloseTimeout();
      closing.succeed();
    });
    ((VertxInternal) vertx).addCloseHook(deployed.onClose);
    if (deployed.owner != null) {
      deployed.owner.addCloseHook(deployed.onOwnersEnd);
    }
    return Future.join(deployed.start(runlane, options))
        .map(started -> deployed.announceRoles(runlane, options))
        .recover(failure ->
            deployed.undeploy().transform(undone -> Future.<DeployedRunlane>failedFuture(failure)));
  }

  /**
   * Undeploys workers first, so that what they hand back is still published, then the rest. Fails with the
   * first failure, after everything was tried. Called again, it completes as the first call does.
   */
  public Future<Void> undeploy() {
    return workers.undeploy().transform(first -> maintenance.undeploy().transform(second -> {
      forgetClose();
      Throwable failure = first.failed() ? first.cause() : second.cause();
      return failure == null ? Future.succeededFuture() : Future.failedFuture(failure);
    }));
  }

  /** Undeploys the workers that nobody has undeployed yet, for example with the verticle that deployed them. */
  Future<Void> undeployWorkersIfThere() {
    return workers.undeployIfThere();
  }

  /** The same for the other roles. */
  Future<Void> undeployMaintenanceIfThere() {
    return maintenance.undeployIfThere().onComplete(undeployed -> forgetClose());
  }

  /** Says which roles this process has from now on, until they are undeployed. */
  private DeployedRunlane announceRoles(Runlane runlane, RunlaneDeployment options) {
    RuntimeContext context = runlane.context();
    List<String> roles = options.getRoles().stream().map(RunlaneRole::value).toList();
    context.host().execute(() -> roles.forEach(context.signs()::roleBegun));
    whenUndeployed = () -> context.host().execute(() -> {
      roles.forEach(context.signs()::roleEnded);
      runlane.forget(this);
    });
    return this;
  }

  private void forgetClose() {
    Runnable undeployed = whenUndeployed;
    whenUndeployed = () -> {};
    undeployed.run();
    ((VertxInternal) vertx).removeCloseHook(onClose);
    if (owner != null) {
      owner.removeCloseHook(onOwnersEnd);
    }
  }

  private List<Future<String>> start(Runlane runlane, RunlaneDeployment options) {
    Set<RunlaneRole> roles = options.getRoles();
    List<Future<String>> started = new ArrayList<>();
    if (roles.contains(RunlaneRole.LEASE_HEARTBEATER)) {
      started.add(one(() -> new LeaseHeartbeaterVerticle(runlane)));
    }
    if (roles.contains(RunlaneRole.DISPATCHER)) {
      started.add(one(() -> new DispatcherVerticle(runlane, options.getDispatcher())));
    }
    if (roles.contains(RunlaneRole.OUTBOX_PUBLISHER)) {
      started.add(one(() -> new OutboxPublisherVerticle(runlane, options.getOutboxPublisher())));
    }
    if (roles.contains(RunlaneRole.SCHEDULER)) {
      started.add(one(() -> new SchedulerVerticle(runlane, options.getScheduler())));
    }
    if (roles.contains(RunlaneRole.CANCELLATION_FINALIZER)) {
      started.add(one(
          () -> new CancellationFinalizerVerticle(runlane, options.getCancellationFinalizer())));
    }
    boolean remoteSteps = runlane.context().remoteSteps().isPresent();
    if (remoteSteps && roles.contains(RunlaneRole.STEP_DISPATCHER)) {
      started.add(one(() -> new StepDispatcherVerticle(runlane, options.getStepDispatcher())));
    }
    if (remoteSteps && roles.contains(RunlaneRole.STEP_RESULTS)) {
      started.add(one(() -> new StepResultVerticle(runlane, options.getStepResults())));
    }
    if (roles.contains(RunlaneRole.RETENTION)) {
      started.add(one(() -> new RetentionVerticle(runlane, options.getRetention())));
    }
    Optional<DeliverySource> source = runlane
        .context()
        .transport()
        .deliveries()
        .filter(any -> roles.contains(RunlaneRole.CONSUMER));
    source.ifPresent(deliveries -> started.add(deploy(
        () -> deliveries.consumer(runlane.deliveryWorker(options.getWorker())),
        options.getConsumerInstances(),
        workers)));
    if (roles.contains(RunlaneRole.WORKER)) {
      WorkerOptions worker = source.isPresent() ? besideConsumers(options) : options.getWorker();
      started.add(
          deploy(() -> new WorkerVerticle(runlane, worker), options.getWorkerInstances(), workers));
    }
    return started;
  }

  private static WorkerOptions besideConsumers(RunlaneDeployment options) {
    WorkerOptions worker = options.getWorker();
    return worker.getMode() == WorkerMode.POLL ? worker.setMode(WorkerMode.SAFETY_NET) : worker;
  }

  private Future<String> one(Supplier<Deployable> verticle) {
    return deploy(verticle, 1, maintenance);
  }

  /** What a constructor throws fails the future. */
  private Future<String> deploy(Supplier<Deployable> verticle, int instances, Verticles deployed) {
    return Future.<Void>succeededFuture()
        .compose(start ->
            vertx.deployVerticle(verticle, new DeploymentOptions().setInstances(instances)))
        .map(id -> {
          deployed.add(id);
          return id;
        });
  }

  /** Some of the deployment's verticles, and what has become of those that are undeployed. For any thread. */
  private final class Verticles {
    private final List<String> ids = new ArrayList<>();
    private Future<?> undeployed = Future.succeededFuture(); // all that were, or are about to be

    synchronized void add(String id) {
      ids.add(id);
    }

    synchronized Future<?> undeploy() {
      Future<?> now = undeployNow();
      undeployed = Future.join(undeployed, now);
      return undeployed;
    }

    /** Leaves out those that somebody else has undeployed, but waits for those that are about to be. */
    synchronized Future<Void> undeployIfThere() {
      ids.retainAll(vertx.deploymentIDs());
      Future<?> before = undeployed;
      Future<?> now = undeployNow();
      undeployed = Future.join(before, now);
      return before.transform(ended -> now.mapEmpty());
    }

    private Future<?> undeployNow() {
      List<Future<Void>> all = ids.stream().map(vertx::undeploy).toList();
      ids.clear();
      return Future.join(all);
    }
  }
}
