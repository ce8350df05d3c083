package dev.runlane.storage.memory;

import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliverySource;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Shares wakeups out in memory, rightly or with one flaw: what the suite of delivery sources is tested with. */
final class SharingTransport extends ForwardingTransport implements DeliverySource {
  /** What it does wrongly. */
  enum Flaw {
    NONE,
    GIVES_TO_NOBODY,
    DROPS_THE_TRACE,
    LOSES_EVERY_TENTH,
    ACKNOWLEDGES_FAILURES,
    ACKNOWLEDGES_NOTHING,
    GIVES_TO_THE_UNDEPLOYED,
    NEVER_STOPS_THE_WORKER,
    WAITS_FOR_NOTHING
  }

  /** What all transports of one case share. */
  static final class Provider {
    private final Flaw flaw;
    private final List<DeliveryMessage> waiting = new ArrayList<>();
    private final List<Consumer> consumers = new ArrayList<>();
    private int given;
    private int shared;

    Provider(Flaw flaw) {
      this.flaw = flaw;
    }

    synchronized void add(List<DeliveryMessage> messages) {
      waiting.addAll(messages);
      share();
    }

    synchronized void join(Consumer consumer) {
      consumers.add(consumer);
      share();
    }

    synchronized void leave(Consumer consumer) {
      if (flaw != Flaw.GIVES_TO_THE_UNDEPLOYED) {
        consumers.remove(consumer);
      }
      if (flaw == Flaw.ACKNOWLEDGES_NOTHING) {
        waiting.addAll(consumer.taken);
      }
    }

    private void share() {
      while (!waiting.isEmpty() && !consumers.isEmpty()) {
        DeliveryMessage message = waiting.remove(0);
        boolean lost =
            flaw == Flaw.GIVES_TO_NOBODY || (flaw == Flaw.LOSES_EVERY_TENTH && ++shared % 10 == 0);
        if (!lost) {
          consumers.get(given++ % consumers.size()).take(message);
        }
      }
    }
  }

  private final Provider provider;

  SharingTransport(TransportAdapter real, Provider provider) {
    super(real);
    this.provider = provider;
  }

  @Override
  public Optional<DeliverySource> deliveries() {
    return Optional.of(this);
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    return real.publishWakeups(command).map(outcomes -> {
      provider.add(
          command.attempts().stream().map(PublishWakeups.Attempt::message).toList());
      return outcomes;
    });
  }

  @Override
  public Deployable consumer(DeliveryWorker worker) {
    return new Consumer(provider, worker);
  }

  private static final class Consumer extends VerticleBase {
    private final Provider provider;
    private final DeliveryWorker worker;
    private final List<DeliveryMessage> taken = new ArrayList<>();
    private final List<Future<?>> underWay = new ArrayList<>();

    Consumer(Provider provider, DeliveryWorker worker) {
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
      provider.leave(this);
      Future<Void> stopped =
          provider.flaw == Flaw.NEVER_STOPS_THE_WORKER ? Future.succeededFuture() : worker.stop();
      return provider.flaw == Flaw.WAITS_FOR_NOTHING
          ? Future.succeededFuture()
          : stopped.compose(done -> Future.join(List.copyOf(underWay)));
    }

    void take(DeliveryMessage message) {
      taken.add(message);
      DeliveryMessage given = provider.flaw == Flaw.DROPS_THE_TRACE
          ? new DeliveryMessage(
              message.environment(), message.runId(), message.queue(), message.requestedAt(), null)
          : message;
      underWay.add(worker.executeDelivery(given).<Void>mapEmpty().recover(failure -> {
        if (provider.flaw != Flaw.ACKNOWLEDGES_FAILURES) {
          vertx.runOnContext(again -> provider.add(List.of(message)));
        }
        return Future.succeededFuture();
      }));
    }
  }
}
