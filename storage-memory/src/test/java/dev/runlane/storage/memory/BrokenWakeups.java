package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.adapter.Subscription;
import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.Environment;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.ForwardingTransportAdapter;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Transports that hand wakeups out wrongly. */
final class BrokenWakeups {
  static final List<BrokenAdapter<TransportAdapter>> ALL = List.of(
      that(
          "hands wakeups to nobody",
          sources(real ->
              (environment, listener) -> real.subscribe(environment, hearing(messages -> {}))),
          "Wakeups.every_subscriber_of_every_transport_hears_every_wakeup"),
      that(
          "hands wakeups to the first subscriber only",
          FirstOnly::new,
          "Wakeups.every_subscriber_of_every_transport_hears_every_wakeup"),
      that(
          "hands wakeups out on another thread",
          sources(real -> (environment, listener) ->
              real.subscribe(environment, hearing(messages -> ForkJoinPool.commonPool()
                  .execute(() -> listener.onWakeups(messages))))),
          "Wakeups.a_wakeup_published_after_subscribing_arrives_whole_on_the_context_that_subscribed"),
      that(
          "hands wakeups out after the subscription was closed",
          sources(real -> (environment, listener) -> real.subscribe(environment, listener)
              .map(subscription -> (Subscription) () -> Future.succeededFuture())),
          "Wakeups.a_closed_subscription_hears_nothing_and_closes_twice"),
      that(
          "hands wakeups of every environment out",
          EveryEnvironment::new,
          "Wakeups.wakeups_of_another_environment_are_not_heard"));

  private BrokenWakeups() {}

  private static UnaryOperator<TransportAdapter> sources(UnaryOperator<WakeupSource> breaking) {
    return real -> new ForwardingTransportAdapter(real) {
      @Override
      public Optional<WakeupSource> wakeups() {
        return real.wakeups().map(breaking);
      }
    };
  }

  private static WakeupListener hearing(Consumer<List<DeliveryMessage>> listener) {
    return new WakeupListener() {
      @Override
      public void onWakeups(List<DeliveryMessage> messages) {
        listener.accept(messages);
      }

      @Override
      public void onPossibleLoss() {}
    };
  }

  private static final class FirstOnly extends ForwardingTransportAdapter implements WakeupSource {
    private final AtomicBoolean taken = new AtomicBoolean();

    FirstOnly(TransportAdapter real) {
      super(real);
    }

    @Override
    public Optional<WakeupSource> wakeups() {
      return Optional.of(this);
    }

    @Override
    public Future<Subscription> subscribe(Environment environment, WakeupListener listener) {
      WakeupSource source = delegate.wakeups().orElseThrow();
      return taken.compareAndSet(false, true)
          ? source.subscribe(environment, listener)
          : source.subscribe(environment, hearing(messages -> {}));
    }
  }

  private static final class EveryEnvironment extends ForwardingTransportAdapter
      implements WakeupSource {
    private final List<WakeupListener> listeners = new CopyOnWriteArrayList<>();

    EveryEnvironment(TransportAdapter real) {
      super(real);
    }

    @Override
    public Optional<WakeupSource> wakeups() {
      return Optional.of(this);
    }

    @Override
    public Future<Subscription> subscribe(Environment environment, WakeupListener listener) {
      listeners.add(listener);
      return Future.succeededFuture(() -> Future.succeededFuture());
    }

    @Override
    public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
      return delegate.publishWakeups(command).onSuccess(outcomes -> {
        List<DeliveryMessage> messages =
            command.attempts().stream().map(PublishWakeups.Attempt::message).toList();
        listeners.forEach(listener -> listener.onWakeups(messages));
      });
    }
  }
}
