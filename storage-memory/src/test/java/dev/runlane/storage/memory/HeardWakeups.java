package dev.runlane.storage.memory;

import dev.runlane.run.Environment;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.ForwardingTransportAdapter;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a subscriber of every environment that something is published to has heard. */
final class HeardWakeups {
  private final List<DeliveryMessage> received = new ArrayList<>();
  private final Set<Environment> environments = new HashSet<>();
  private Promise<Void> arrival = Promise.promise(); // of the next wakeups
  private int accepted;

  /** The transport, to whose wakeups this listens. */
  TransportAdapter hearing(MemoryTransport transport) {
    return new ForwardingTransportAdapter(transport) {
      @Override
      public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
        command.attempts().forEach(attempt -> hear(transport, attempt.message().environment()));
        return super.publishWakeups(command).map(outcomes -> {
          accept(outcomes.size());
          return outcomes;
        });
      }
    };
  }

  /** What arrived, once all that was accepted has: subscribers are told on their own contexts. */
  synchronized Future<List<DeliveryMessage>> received() {
    return received.size() >= accepted
        ? Future.succeededFuture(List.copyOf(received))
        : arrival.future().compose(arrived -> received());
  }

  private synchronized void accept(int wakeups) {
    accepted += wakeups;
  }

  private synchronized void hear(MemoryTransport transport, Environment environment) {
    if (environments.add(environment)) {
      transport.subscribe(environment, new WakeupListener() {
        @Override
        public void onWakeups(List<DeliveryMessage> messages) {
          arrive(messages).complete();
        }

        @Override
        public void onPossibleLoss() {
          throw new AssertionError("nothing is lost inside a process");
        }
      });
    }
  }

  private synchronized Promise<Void> arrive(List<DeliveryMessage> messages) {
    received.addAll(messages);
    Promise<Void> arrived = arrival;
    arrival = Promise.promise();
    return arrived;
  }
}
