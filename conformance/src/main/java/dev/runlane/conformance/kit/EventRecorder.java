package dev.runlane.conformance.kit;

import dev.runlane.adapter.Subscription;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** What one subscriber was told, and a way to wait for it. */
public final class EventRecorder {
  private final Set<String> told = new HashSet<>();
  private final Map<String, Promise<Void>> awaited = new HashMap<>();
  private Future<Subscription> subscription = Future.failedFuture("not subscribed");

  /** A subscriber that was registered by {@code subscribing} and hears what that hands it. */
  public static EventRecorder through(Function<EventRecorder, Future<Subscription>> subscribing) {
    EventRecorder heard = new EventRecorder();
    heard.subscription = subscribing.apply(heard);
    Outcomes.done(heard.subscription);
    return heard;
  }

  /** Waits until the subscriber was told of this; fails the case when it is not. */
  public void await(String what) {
    Outcomes.done(promised(what).future());
  }

  /** Waits until the subscriber was told of one of the two. */
  public void awaitAny(String what, String orWhat) {
    Outcomes.done(Future.any(promised(what).future(), promised(orWhat).future()));
  }

  public synchronized Set<String> all() {
    return Set.copyOf(told);
  }

  public Future<Void> close() {
    return subscription.compose(Subscription::close);
  }

  public synchronized void record(String what) {
    told.add(what);
    promised(what).tryComplete();
  }

  private synchronized Promise<Void> promised(String what) {
    return awaited.computeIfAbsent(what, key -> Promise.promise());
  }
}
