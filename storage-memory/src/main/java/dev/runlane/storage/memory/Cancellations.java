package dev.runlane.storage.memory;

import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.storage.CancellationSource;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Consumer;

/** Tells subscribers of cancellation requests, after they were stored, and of what it is asked to tell. */
final class Cancellations implements CancellationSource {
  private final Subscribers<Consumer<String>> subscribers = new Subscribers<>();

  @Override
  public Future<Subscription> subscribe(Environment environment, Consumer<String> listener) {
    return Future.succeededFuture(subscribers.add(environment, listener));
  }

  /** Tells of the run if one of its new events asks to cancel it. */
  void announce(Environment environment, String runId, List<RunEvent> stored) {
    if (stored.stream().anyMatch(event -> event.type() == RunEventType.CANCELLATION_REQUESTED)) {
      notifyRunOwner(environment, runId);
    }
  }

  @Override
  public Future<Void> notifyRunOwner(Environment environment, String runId) {
    subscribers.deliver(environment, listener -> listener.accept(runId));
    return Future.succeededFuture();
  }
}
