package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliverySource;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.ForwardingTransportAdapter;
import dev.runlane.transport.IgnoredReason;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Transports that share wakeups out wrongly. */
final class BrokenDeliveries {
  private static final DeliveryResult DONE = new DeliveryResult.Ignored(IgnoredReason.TERMINAL);

  static final List<BrokenAdapter<TransportAdapter>> ALL = List.of(
      that(
          "gives wakeups to nobody",
          consuming((real, worker) -> new Deployable() {
            @Override
            public Future<?> deploy(Context context) {
              return Future.succeededFuture();
            }

            @Override
            public Future<?> undeploy(Context context) {
              return worker.stop();
            }
          }),
          "Deliveries.every_wakeup_reaches_one_of_several_consumers"),
      that(
          "drops the trace of what is delivered",
          working(worker -> new Forwarding(worker) {
            @Override
            public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
              return worker.executeDelivery(new DeliveryMessage(
                  message.environment(),
                  message.runId(),
                  message.queue(),
                  message.requestedAt(),
                  null));
            }
          }),
          "Deliveries.a_wakeup_is_delivered_with_everything_it_says"),
      that(
          "loses every tenth wakeup",
          losingEveryTenth(),
          "Deliveries.every_wakeup_reaches_one_of_several_consumers"),
      that(
          "acknowledges failures",
          working(worker -> new Forwarding(worker) {
            @Override
            public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
              return worker.executeDelivery(message).otherwise(DONE);
            }
          }),
          "Deliveries.a_wakeup_whose_delivery_failed_comes_again"),
      that(
          "acknowledges nothing",
          real -> new AcknowledgesNothing(real),
          "Deliveries.a_wakeup_that_was_dealt_with_does_not_come_to_a_later_consumer"),
      that(
          "gives wakeups to consumers that were undeployed",
          consuming((real, worker) -> new Deployable() {
            private final Deployable consumer = real.consumer(worker);

            @Override
            public Future<?> deploy(Context context) throws Exception {
              return consumer.deploy(context);
            }

            @Override
            public Future<?> undeploy(Context context) {
              return worker.stop();
            }
          }),
          "Deliveries.undeploying_a_consumer_stops_its_worker_and_gives_it_nothing_more"),
      that(
          "never stops the worker",
          working(worker -> new Forwarding(worker) {
            @Override
            public Future<Void> stop() {
              return Future.succeededFuture();
            }
          }),
          "Deliveries.undeploying_a_consumer_stops_its_worker_and_gives_it_nothing_more"),
      that(
          "waits for nothing when a consumer is undeployed",
          consuming((real, worker) -> new Deployable() {
            private final Deployable consumer = real.consumer(worker);

            @Override
            public Future<?> deploy(Context context) throws Exception {
              return consumer.deploy(context);
            }

            @Override
            public Future<?> undeploy(Context context) throws Exception {
              Future<?> unheeded = consumer.undeploy(context);
              return unheeded.isComplete() ? unheeded : Future.succeededFuture();
            }
          }),
          "Deliveries.undeploying_waits_for_a_delivery_under_way_and_acknowledges_it"));

  private BrokenDeliveries() {}

  static UnaryOperator<TransportAdapter> working(UnaryOperator<DeliveryWorker> breaking) {
    return consuming((real, worker) -> real.consumer(breaking.apply(worker)));
  }

  private static UnaryOperator<TransportAdapter> consuming(
      BiFunction<DeliverySource, DeliveryWorker, Deployable> breaking) {
    return real -> new ForwardingTransportAdapter(real) {
      @Override
      public Optional<DeliverySource> deliveries() {
        return delegate
            .deliveries()
            .<DeliverySource>map(source -> worker -> breaking.apply(source, worker));
      }
    };
  }

  private static UnaryOperator<TransportAdapter> losingEveryTenth() {
    AtomicInteger shared = new AtomicInteger();
    return working(worker -> new Forwarding(worker) {
      @Override
      public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
        return shared.incrementAndGet() % 10 == 0
            ? Future.succeededFuture(DONE)
            : worker.executeDelivery(message);
      }
    });
  }

  /** Does what another worker does. */
  static class Forwarding implements DeliveryWorker {
    final DeliveryWorker worker;

    Forwarding(DeliveryWorker worker) {
      this.worker = worker;
    }

    @Override
    public String workerId() {
      return worker.workerId();
    }

    @Override
    public Set<String> queues() {
      return worker.queues();
    }

    @Override
    public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
      return worker.executeDelivery(message);
    }

    @Override
    public Future<Void> stop() {
      return worker.stop();
    }
  }

  /** What a consumer was given comes again once it has stopped. */
  private static final class AcknowledgesNothing extends ForwardingTransportAdapter {
    AcknowledgesNothing(TransportAdapter real) {
      super(real);
    }

    @Override
    public Optional<DeliverySource> deliveries() {
      return delegate
          .deliveries()
          .<DeliverySource>map(source -> worker -> consumer(source, worker));
    }

    private Deployable consumer(DeliverySource source, DeliveryWorker worker) {
      Queue<DeliveryMessage> taken = new ConcurrentLinkedQueue<>();
      Deployable consumer = source.consumer(new Forwarding(worker) {
        @Override
        public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
          taken.add(message);
          return worker.executeDelivery(message);
        }
      });
      return new Deployable() {
        @Override
        public Future<?> deploy(Context context) throws Exception {
          return consumer.deploy(context);
        }

        @Override
        public Future<?> undeploy(Context context) throws Exception {
          return consumer.undeploy(context).compose(stopped -> again(taken));
        }
      };
    }

    private Future<?> again(Queue<DeliveryMessage> taken) {
      AtomicInteger number = new AtomicInteger();
      return delegate.publishWakeups(new PublishWakeups(taken.stream()
          .map(message ->
              new PublishWakeups.Attempt("again_" + number.incrementAndGet(), "tok", message))
          .toList()));
    }
  }
}
