package dev.runlane.conformance.transport.drawn;

import dev.runlane.adapter.Subscription;
import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.transport.DeliverySource;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupPublishOutcome;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One of the processes that publish, listen and consume. Listeners and consumers are known to all of them. */
public final class TransportParty {
  private final TransportFixture fixture;
  private final TransportAdapter transport;
  private final Context context;
  private final Audience audience;
  private final Map<String, Subscription> subscriptions;
  private final Map<String, Consumer> consumers;

  TransportParty(
      TransportFixture fixture,
      TransportAdapter transport,
      Context context,
      Audience audience,
      Map<String, Subscription> subscriptions,
      Map<String, Consumer> consumers) {
    this.fixture = fixture;
    this.transport = transport;
    this.context = context;
    this.audience = audience;
    this.subscriptions = subscriptions;
    this.consumers = consumers;
  }

  Future<? extends @Nullable Object> answer(TransportCommand command) {
    if (command instanceof TransportCommand.Publish publish) {
      return publish(publish.wakeups());
    }
    if (command instanceof TransportCommand.RefuseNext refuse) {
      return fixture.rejectNext(refuse.count());
    }
    if (command instanceof TransportCommand.Received received) {
      return received(scopeOf(received.of().name()));
    }
    if (command instanceof TransportCommand.Subscribe subscribe) {
      return subscribe(subscribe);
    }
    if (command instanceof TransportCommand.Unsubscribe unsubscribe) {
      return unsubscribe(unsubscribe.listener());
    }
    if (command instanceof TransportCommand.Heard heard) {
      return audience.heard(heard.listener());
    }
    if (command instanceof TransportCommand.Consume consume) {
      return consume(consume.consumer());
    }
    if (command instanceof TransportCommand.StopConsuming stop) {
      return stopConsuming(stop.consumer());
    }
    TransportCommand.Settled settled = (TransportCommand.Settled) command;
    String scope = scopeOf(settled.of().name());
    return consumers.isEmpty()
        ? Future.succeededFuture(audience.settledIn(scope))
        : audience.allSettledIn(scope);
  }

  /** What the names of a sequence's environments begin with. */
  private static String scopeOf(String environment) {
    return environment.substring(0, environment.indexOf('.') + 1);
  }

  private Future<List<String>> publish(PublishWakeups command) {
    List<Future<Void>> watching = command.attempts().stream()
        .map(attempt -> attempt.message().environment())
        .filter(audience::isNew)
        .map(fixture::watch)
        .toList();
    command.attempts().forEach(attempt -> audience.expect(attempt.message()));
    return Future.join(watching)
        .compose(ready -> transport.publishWakeups(command))
        .map(outcomes -> {
          List<String> texts = new ArrayList<>();
          for (int i = 0; i < outcomes.size(); i++) {
            texts.add(text(outcomes.get(i)));
            if (outcomes.get(i).isPublished() && i < command.attempts().size()) {
              audience.accept(command.attempts().get(i).message());
            }
          }
          return texts;
        });
  }

  private static String text(WakeupPublishOutcome outcome) {
    return outcome instanceof WakeupPublishOutcome.Failed failed
        ? failed.failure().code().name()
        : Texts.PUBLISHED;
  }

  private Future<List<String>> received(String scope) {
    return fixture.received().map(all -> all.stream()
        .filter(each -> each.environment().name().startsWith(scope))
        .map(Texts::of)
        .sorted()
        .toList());
  }

  private Future<@Nullable Void> subscribe(TransportCommand.Subscribe command) {
    WakeupSource source = transport
        .wakeups()
        .orElseThrow(() -> new AssertionError("the transport hands out no wakeups"));
    Promise<Subscription> subscribed = Promise.promise();
    context.runOnContext(start -> source
        .subscribe(
            command.environment(),
            audience.listener(command.listener(), command.environment().name()))
        .onComplete(subscribed));
    return subscribed.future().map(subscription -> {
      audience.listensFromNowOn(command.listener());
      subscriptions.put(command.listener(), subscription);
      return null;
    });
  }

  private Future<Void> unsubscribe(String listener) {
    Subscription subscription = subscriptions.remove(listener);
    if (subscription == null) {
      return Future.succeededFuture();
    }
    return subscription.close().andThen((closed, failure) -> audience.stopListening(listener));
  }

  private Future<@Nullable Void> consume(String name) {
    DeliverySource source = transport
        .deliveries()
        .orElseThrow(() -> new AssertionError("the transport has no consumers"));
    AudienceWorker worker = new AudienceWorker(audience, fixture.queue());
    return context.owner().deployVerticle(source.consumer(worker)).map(id -> {
      consumers.put(name, new Consumer(id, worker));
      return null;
    });
  }

  private Future<Void> stopConsuming(String name) {
    Consumer consumer = consumers.remove(name);
    if (consumer == null) {
      return Future.succeededFuture();
    }
    return context.owner().undeploy(consumer.id()).map(stopped -> {
      if (!consumer.worker().isStopping()) {
        audience.complain("a worker that was not stopped");
      }
      consumer.worker().leave();
      if (consumers.isEmpty()) {
        audience.nobodyConsumes();
      }
      return null;
    });
  }

  /** Nobody listens or consumes any more. */
  Future<Void> clear() {
    List<Future<Void>> ending = new ArrayList<>();
    List.copyOf(subscriptions.keySet()).forEach(each -> ending.add(unsubscribe(each)));
    List.copyOf(consumers.keySet()).forEach(each -> ending.add(stopConsuming(each)));
    return Future.join(ending).mapEmpty();
  }

  record Consumer(String id, AudienceWorker worker) {}
}
