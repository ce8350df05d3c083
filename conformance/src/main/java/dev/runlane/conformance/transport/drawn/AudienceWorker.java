package dev.runlane.conformance.transport.drawn;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.IgnoredReason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Set;

/** Deals with wakeups as their runs' ids say, and tells the audience. Used by several event loops. */
final class AudienceWorker implements DeliveryWorker {
  private static final DeliveryResult DONE = new DeliveryResult.Ignored(IgnoredReason.TERMINAL);

  private final Audience audience;
  private final String queue;
  private final Promise<Void> stopped = Promise.promise();
  private int underWay;
  private boolean stopping;
  private boolean gone;

  AudienceWorker(Audience audience, String queue) {
    this.audience = audience;
    this.queue = queue;
  }

  @Override
  public String workerId() {
    return "audience";
  }

  @Override
  public Set<String> queues() {
    return Set.of(queue);
  }

  @Override
  public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
    if (isGone()) {
      audience.complain("to a consumer that is gone: " + Texts.of(message));
    }
    if (audience.isSettledForGood(message)) {
      audience.complain("what was settled for good: " + Texts.of(message));
    }
    if (!begin()) {
      return Future.failedFuture(RunlaneException.unavailable(
          ErrorCode.OPERATION_CANCELLED,
          null,
          "the consumer was stopped before the delivery began"));
    }
    return (message.runId().startsWith(Audience.SLOW)
            ? audience.moment()
            : Future.<Void>succeededFuture())
        .compose(begun -> audience.failsWith(message)
            ? Future.failedFuture(RunlaneException.unavailable(
                ErrorCode.STORAGE_UNAVAILABLE, null, "the first delivery fails"))
            : Future.succeededFuture(settled(message)))
        .andThen((result, failure) -> end());
  }

  private DeliveryResult settled(DeliveryMessage message) {
    audience.settle(message);
    return DONE;
  }

  private synchronized boolean begin() {
    if (stopping) {
      return false;
    }
    underWay++;
    return true;
  }

  private void end() {
    if (isLast()) {
      stopped.tryComplete();
    }
  }

  private synchronized boolean isLast() {
    underWay--;
    return stopping && underWay == 0;
  }

  @Override
  public Future<Void> stop() {
    if (isIdleAndStops()) {
      stopped.tryComplete();
    }
    return stopped.future();
  }

  private synchronized boolean isIdleAndStops() {
    stopping = true;
    return underWay == 0;
  }

  synchronized boolean isStopping() {
    return stopping;
  }

  /** Its consumer was undeployed: nothing may come any more. */
  synchronized void leave() {
    gone = true;
  }

  private synchronized boolean isGone() {
    return gone;
  }
}
