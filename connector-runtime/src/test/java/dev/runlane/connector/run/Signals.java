package dev.runlane.connector.run;

import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.run.request.RunObserver;
import dev.runlane.connector.store.timeline.TimelineEvent;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Tells a test when a run has come to something. */
final class Signals implements RunObserver {
  final List<Violation> violations = new CopyOnWriteArrayList<>();
  final List<TimelineEvent> events = new CopyOnWriteArrayList<>();
  final Set<String> threads = ConcurrentHashMap.newKeySet(); // that runs went on in

  private final Map<String, Promise<TimelineEvent>> wanted = new ConcurrentHashMap<>();

  @Override
  public void event(TimelineEvent event) {
    events.add(event);
    threads.add(Thread.currentThread().getName());
    seen(event.type().value()).tryComplete(event);
  }

  @Override
  public void violation(Violation violation) {
    violations.add(violation);
  }

  /** The first event of this type, once it is there. */
  TimelineEvent await(String type) {
    return Runs.await(seen(type).future());
  }

  private Promise<TimelineEvent> seen(String type) {
    return wanted.computeIfAbsent(type, key -> Promise.promise());
  }
}
