package dev.runlane.transport.kafka;

import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.IgnoredReason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A worker that answers as a test says, and remembers what it was asked; used by several event loops. */
final class ScriptedWorker implements DeliveryWorker {
  static final DeliveryResult DONE = new DeliveryResult.Ignored(IgnoredReason.TERMINAL);

  private final List<DeliveryMessage> deliveries = new CopyOnWriteArrayList<>();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final Promise<Void> stopped = Promise.promise();
  private volatile Function<DeliveryMessage, Future<DeliveryResult>> script =
      message -> Future.succeededFuture(DONE);

  ScriptedWorker answering(Function<DeliveryMessage, Future<DeliveryResult>> answers) {
    script = answers;
    return this;
  }

  /** The runs of all deliveries so far, in the order of their beginning. */
  List<String> runIds() {
    return deliveries.stream().map(DeliveryMessage::runId).toList();
  }

  List<DeliveryMessage> deliveries() {
    return deliveries;
  }

  int underWay() {
    return underWay.get();
  }

  int mostAtOnce() {
    return most.get();
  }

  boolean isStopped() {
    return stopped.future().isComplete();
  }

  @Override
  public String workerId() {
    return "scripted";
  }

  @Override
  public Set<String> queues() {
    return Set.of("mail");
  }

  @Override
  public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
    deliveries.add(message);
    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
    return script.apply(message).onComplete(done -> underWay.decrementAndGet());
  }

  @Override
  public Future<Void> stop() {
    stopped.tryComplete();
    return stopped.future();
  }
}
