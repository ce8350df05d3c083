package dev.runlane.conformance.transport;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.IgnoredReason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Deals with every wakeup as a case says, and a way to wait for that. Used by several event loops. */
final class ConsumingWorker implements DeliveryWorker {
  private final String queue;
  private final List<DeliveryMessage> deliveries = new CopyOnWriteArrayList<>();
  private final Map<String, Promise<Void>> begun = new ConcurrentHashMap<>();
  private final Map<String, Promise<Void>> ended = new ConcurrentHashMap<>();
  private final Map<String, Promise<Void>> held = new ConcurrentHashMap<>();
  private final Set<String> failing = ConcurrentHashMap.newKeySet();
  private final Promise<Void> stopped = Promise.promise();
  private volatile Runnable whenStopped = () -> {};

  ConsumingWorker(String queue) {
    this.queue = queue;
  }

  /** The same worker, whose first delivery of this run fails as an outage of the storage does. */
  ConsumingWorker failingOnce(String runId) {
    failing.add(runId);
    return this;
  }

  /** The same worker, whose delivery of this run ends with the promise. */
  ConsumingWorker holding(String runId, Promise<Void> until) {
    held.put(runId, until);
    return this;
  }

  /** Does this when it is asked to stop. */
  void onStop(Runnable action) {
    whenStopped = action;
  }

  List<DeliveryMessage> deliveries() {
    return deliveries;
  }

  boolean isStopped() {
    return stopped.future().isComplete();
  }

  /** Waits until a delivery of the run has begun. */
  void awaitBegin(String runId) {
    Outcomes.done(promise(begun, runId).future());
  }

  /** Waits until a delivery of the run was dealt with. */
  void await(String runId) {
    Outcomes.done(promise(ended, runId).future());
  }

  @Override
  public String workerId() {
    return "consuming";
  }

  @Override
  public Set<String> queues() {
    return Set.of(queue);
  }

  @Override
  public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
    deliveries.add(message);
    promise(begun, message.runId()).tryComplete();
    if (failing.remove(message.runId())) {
      return Future.failedFuture(RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE, null, "the case wants it to come again"));
    }
    Promise<Void> until = held.get(message.runId());
    return (until == null ? Future.<Void>succeededFuture() : until.future()).map(free -> {
      promise(ended, message.runId()).tryComplete();
      return new DeliveryResult.Ignored(IgnoredReason.TERMINAL);
    });
  }

  @Override
  public Future<Void> stop() {
    whenStopped.run();
    stopped.tryComplete();
    return stopped.future();
  }

  private static Promise<Void> promise(Map<String, Promise<Void>> promises, String runId) {
    return promises.computeIfAbsent(runId, id -> Promise.promise());
  }
}
