package dev.runlane.conformance.provider;

import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliverySource;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A provider of wakeups in memory, as a broker would be one: it outlives its transports, notifies all subscribers of an
 * environment, gives each wakeup to one of its consumers until that has dealt with it, and has the {@link #faults()}
 * that a test injects. Safe to use from any thread.
 *
 * <p>Its transports report {@link TransportCapability#DURABLE_DELIVERY}, have {@link WakeupSource} and {@link
 * DeliverySource}, and take wakeups of any queue.
 */
public final class MemoryProvider {
  private final ProviderFaults faults = new ProviderFaults();
  private final List<DeliveryMessage> received = new ArrayList<>();
  private final List<Subscriber> subscribers = new ArrayList<>();
  private final Deque<DeliveryMessage> waiting = new ArrayDeque<>();
  private final Deque<ProviderConsumer> consumers = new ArrayDeque<>(); // whose turn is next first

  /** Without wakeups. */
  public MemoryProvider() {}

  /** What a test has this provider do wrongly. */
  public ProviderFaults faults() {
    return faults;
  }

  /** Another transport of this provider, as another process would have it; start it. */
  public TransportAdapter open() {
    return new FaultyTransport(new ProviderTransport(this), faults);
  }

  /** Every wakeup it has taken so far, in their order, doubled where it has it twice. */
  public synchronized List<DeliveryMessage> received() {
    return List.copyOf(received);
  }

  void take(PublishWakeups command) {
    Map<Environment, List<DeliveryMessage>> notified = new LinkedHashMap<>();
    List<Subscriber> listening;
    synchronized (this) {
      for (PublishWakeups.Attempt attempt : command.attempts()) {
        received.add(attempt.message());
        waiting.add(attempt.message());
        notified
            .computeIfAbsent(attempt.message().environment(), first -> new ArrayList<>())
            .add(attempt.message());
      }
      listening = List.copyOf(subscribers);
    }
    notified.forEach((environment, messages) -> listening.stream()
        .filter(each -> each.environment.equals(environment))
        .forEach(each -> notify(each, List.copyOf(messages))));
    share();
  }

  Subscription subscribe(Environment environment, WakeupListener listener) {
    Subscriber subscriber = new Subscriber(environment, listener, Vertx.currentContext());
    synchronized (this) {
      subscribers.add(subscriber);
    }
    return () -> {
      synchronized (this) {
        subscribers.remove(subscriber);
      }
      return Future.succeededFuture();
    };
  }

  private void notify(Subscriber subscriber, List<DeliveryMessage> messages) {
    if (subscriber.context == null) {
      subscriber.listener.onWakeups(messages);
    } else {
      subscriber.context.runOnContext(turn -> {
        if (isSubscribed(subscriber)) {
          subscriber.listener.onWakeups(messages);
        }
      });
    }
  }

  private synchronized boolean isSubscribed(Subscriber subscriber) {
    return subscribers.contains(subscriber);
  }

  void join(ProviderConsumer consumer) {
    synchronized (this) {
      consumers.add(consumer);
    }
    share();
  }

  synchronized void leave(ProviderConsumer consumer) {
    consumers.remove(consumer);
  }

  /** A consumer that has not dealt with a wakeup gives it back; it comes again, to whoever's turn it is. */
  void giveBack(DeliveryMessage message) {
    synchronized (this) {
      waiting.addFirst(message);
    }
    share();
  }

  private void share() {
    while (true) {
      DeliveryMessage message;
      ProviderConsumer consumer;
      synchronized (this) {
        if (waiting.isEmpty() || consumers.isEmpty()) {
          return;
        }
        message = waiting.remove();
        consumer = consumers.remove();
        consumers.add(consumer);
      }
      consumer.give(message);
    }
  }

  /** No two are equal, though one listener may subscribe twice. */
  private static final class Subscriber {
    final Environment environment;
    final WakeupListener listener;
    final @Nullable Context context;

    Subscriber(Environment environment, WakeupListener listener, @Nullable Context context) {
      this.environment = environment;
      this.listener = listener;
      this.context = context;
    }
  }
}
