package dev.runlane.runtime;

import dev.runlane.json.JsonCodec;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.attempt.AttemptEnds;
import dev.runlane.runtime.attempt.AttemptParts;
import dev.runlane.runtime.attempt.Attempts;
import dev.runlane.runtime.create.Triggers;
import dev.runlane.runtime.lease.Claims;
import dev.runlane.runtime.lease.LeaseHeartbeater;
import dev.runlane.runtime.operate.RunEnds;
import dev.runlane.runtime.operate.RunWaiters;
import dev.runlane.runtime.process.HandlerValues;
import dev.runlane.runtime.process.RunReads;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.report.SignsOfLife;
import dev.runlane.runtime.steps.StepResults;
import dev.runlane.runtime.worker.Deliveries;
import dev.runlane.runtime.worker.Wakeups;
import dev.runlane.runtime.worker.Worker;
import dev.runlane.runtime.worker.WorkerOptions;
import io.vertx.core.Future;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What runs attempts in this process: its leases, and the workers that claim them. */
public final class Engine {
  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

  private final RuntimeContext context;
  private final LeaseHeartbeater leases;
  private final Attempts attempts;
  private final Claims claims;
  private final Wakeups wakeups;
  private final RunWaiters waiters;
  private final RunEnds ends;
  private final RunReads reads;
  private final Deliveries deliveries;
  private final Set<Worker> workers = new LinkedHashSet<>();
  private final Set<Deliveries> deliveryWorkers =
      ConcurrentHashMap.newKeySet(); // made by any thread
  private volatile boolean closing;

  /** @param workerId who owns the leases of what callers run one by one */
  Engine(
      RuntimeContext context,
      LeaseHeartbeater leases,
      Triggers triggers,
      JsonCodec codec,
      String workerId) {
    this.context = context;
    this.leases = leases;
    HandlerValues values = new HandlerValues(
        codec, context.options().outputLimits(), context.options().metaLimits());
    AttemptParts parts = new AttemptParts(
        context,
        new AttemptEnds(values),
        new StepResults(codec, values, context.attemptLog().traces()),
        triggers);
    attempts = new Attempts(parts, leases);
    claims = new Claims(context);
    reads = new RunReads(context);
    deliveries = Deliveries.unlimited(context, claims, attempts, reads, workerId);
    wakeups = new Wakeups(context);
    waiters = new RunWaiters(context);
    ends = new RunEnds(context);
  }

  Attempts attempts() {
    return attempts;
  }

  Claims claims() {
    return claims;
  }

  /** Executes deliveries for callers that bound them themselves. */
  Deliveries deliveries() {
    return deliveries;
  }

  /** An executor for one consumer. Throws {@code ConfigurationInvalid} for an unknown queue. */
  Deliveries deliveryWorker(WorkerOptions options) {
    Deliveries made = Deliveries.of(context, claims, attempts, reads, options);
    deliveryWorkers.add(made);
    made.stopped().onComplete(done -> {
      deliveryWorkers.remove(made);
      context.host().execute(() -> context.signs().workerEnded(made));
    });
    context.host().execute(() -> context
        .signs()
        .workerBegun(
            made,
            new SignsOfLife.Worker(made.workerId(), made.queues(), made.slots(), made::running)));
    if (closing) {
      made.stop(); // nobody else does any more
    }
    return made;
  }

  RunWaiters waiters() {
    return waiters;
  }

  RunEnds ends() {
    return ends;
  }

  /** Renews the leases of all workers of this process. */
  public LeaseHeartbeater leases() {
    return leases;
  }

  /** A worker that has not started. Throws {@code ConfigurationInvalid} for an unknown queue. */
  Worker worker(WorkerOptions options, Executor executor) {
    return new Worker(context, claims, attempts, options, executor);
  }

  /**
   * Starts a worker once wakeups reach it; it then works until it is closed. Fails with {@code OperationCancelled} when
   * the runtime is being closed by then: nobody would stop that worker.
   */
  Future<Worker> start(Worker worker) {
    return context.host().call(() -> {
      if (closing) {
        return Future.failedFuture(isBeingClosed());
      }
      return wakeups
          .retain()
          .compose(listening -> closing
              ? wakeups.release().transform(released -> Future.failedFuture(isBeingClosed()))
              : Future.succeededFuture(begun(worker)));
    });
  }

  private Worker begun(Worker worker) {
    workers.add(worker);
    leases.retain();
    worker.closed().onComplete(done -> context.host().execute(() -> closed(worker)));
    context
        .signs()
        .workerBegun(
            worker,
            new SignsOfLife.Worker(
                worker.workerId(), worker.queues(), worker.slots(), worker::running));
    worker.start();
    return worker;
  }

  /** No worker starts from now on. */
  void beginClose() {
    closing = true;
  }

  /** Whether {@link #beginClose} was called. */
  boolean isClosing() {
    return closing;
  }

  static RunlaneException isBeingClosed() {
    return RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "the runtime is closing");
  }

  /** Stops every worker, then everything else, within the runtime's close timeout. */
  Future<Void> close() {
    return context.host().call(() -> Future.join(Stream.concat(
                List.copyOf(workers).stream().map(Worker::stop),
                List.copyOf(deliveryWorkers).stream().map(Deliveries::stop))
            .toList())
        .otherwiseEmpty() // a drained worker that failed has told its owner
        .compose(stopped -> deliveries.stop())
        .compose(stopped -> attempts.close())
        .eventually(() -> {
          context.host().execute(waiters::close);
          return context.host().call(ends::close);
        }));
  }

  private void closed(Worker worker) {
    if (workers.remove(worker)) {
      context.signs().workerEnded(worker);
      leases.release();
      wakeups
          .release()
          .onFailure(failure -> LOG.warn("the subscription to wakeups did not close", failure));
    }
  }
}
