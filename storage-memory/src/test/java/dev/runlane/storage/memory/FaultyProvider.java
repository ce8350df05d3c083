package dev.runlane.storage.memory;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishChecks;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** What brokers do to transports: refuse some wakeups, or be away. */
final class FaultyProvider {
  private static final FailureRecord REFUSED =
      new FailureRecord(ErrorCode.TRANSPORT_PUBLISH_FAILED, "refused", true, null);

  private final List<DeliveryMessage> received = new ArrayList<>();
  private final Set<Environment> heard = new HashSet<>();
  private Promise<Void> arrival = Promise.promise(); // of the next wakeup
  private int accepted;
  private int rejections;
  private boolean reachable = true;

  /** The transport, whose wakeups pass here first. */
  TransportAdapter before(MemoryTransport transport) {
    return new ForwardingTransport(transport) {
      @Override
      public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
        try {
          PublishChecks.check(command);
        } catch (RunlaneException malformed) {
          return Future.failedFuture(malformed);
        }
        return publish(transport, command);
      }
    };
  }

  /** What arrived, once all that was accepted has: subscribers are told on their own contexts. */
  synchronized Future<List<DeliveryMessage>> received() {
    return received.size() >= accepted
        ? Future.succeededFuture(List.copyOf(received))
        : arrival.future().compose(arrived -> received());
  }

  synchronized void rejectNext(int count) {
    rejections = count;
  }

  synchronized void setReachable(boolean now) {
    reachable = now;
  }

  private synchronized Future<List<WakeupPublishOutcome>> publish(
      MemoryTransport transport, PublishWakeups command) {
    if (!reachable) {
      return Future.failedFuture(
          RunlaneException.unavailable(ErrorCode.TRANSPORT_UNAVAILABLE, null, "away"));
    }
    int refused = Math.min(rejections, command.attempts().size());
    rejections -= refused;
    List<PublishWakeups.Attempt> taken =
        command.attempts().subList(refused, command.attempts().size());
    taken.forEach(attempt -> hear(transport, attempt.message().environment()));
    return transport.publishWakeups(new PublishWakeups(taken)).map(outcomes -> {
      accepted += taken.size();
      Iterator<WakeupPublishOutcome> rest = outcomes.iterator();
      List<WakeupPublishOutcome> all = new ArrayList<>();
      for (int i = 0; i < command.attempts().size(); i++) {
        all.add(i < refused ? new WakeupPublishOutcome.Failed(REFUSED) : rest.next());
      }
      return all;
    });
  }

  private void hear(MemoryTransport transport, Environment environment) {
    if (heard.add(environment)) {
      transport.subscribe(environment, new WakeupListener() {
        @Override
        public void onWakeups(List<DeliveryMessage> messages) {
          receive(messages);
        }

        @Override
        public void onPossibleLoss() {
          throw new AssertionError("nothing is lost inside a process");
        }
      });
    }
  }

  private void receive(List<DeliveryMessage> messages) {
    arrive(messages).complete();
  }

  private synchronized Promise<Void> arrive(List<DeliveryMessage> messages) {
    received.addAll(messages);
    Promise<Void> arrived = arrival;
    arrival = Promise.promise();
    return arrived;
  }
}
