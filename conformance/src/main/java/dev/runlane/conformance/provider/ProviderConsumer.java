package dev.runlane.conformance.provider;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryWorker;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** One consumer of a {@link MemoryProvider}. */
final class ProviderConsumer extends VerticleBase {
  /** How long a wakeup that was not dealt with stays away. */
  private static final long AGAIN_MILLIS = 1;

  /** How long a stop waits for deliveries whose worker has stopped already. */
  private static final long PATIENCE_SECONDS = 10;

  private final MemoryProvider provider;
  private final DeliveryWorker worker;
  private final Set<Future<?>> underWay = new LinkedHashSet<>();
  private boolean stopping;

  ProviderConsumer(MemoryProvider provider, DeliveryWorker worker) {
    this.provider = provider;
    this.worker = worker;
  }

  @Override
  public Future<?> start() {
    provider.join(this);
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    stopping = true;
    provider.leave(this);
    return worker
        .stop()
        .compose(stopped -> Future.join(Set.copyOf(underWay).stream().toList()))
        .timeout(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** From any thread; a wakeup that comes too late is another consumer's. */
  void give(DeliveryMessage message) {
    context.runOnContext(turn -> {
      if (stopping) {
        provider.giveBack(message);
      } else {
        execute(message);
      }
    });
  }

  private void execute(DeliveryMessage message) {
    Future<?> delivery = AdapterCall.of("executeDelivery", () -> worker.executeDelivery(message))
        .<Void>mapEmpty()
        .recover(failure -> vertx.timer(AGAIN_MILLIS, TimeUnit.MILLISECONDS).map(again -> {
          provider.giveBack(message);
          return null;
        }));
    underWay.add(delivery);
    delivery.onComplete(ended -> underWay.remove(delivery));
  }
}
