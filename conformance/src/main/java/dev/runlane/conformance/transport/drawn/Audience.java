package dev.runlane.conformance.transport.drawn;

import dev.runlane.run.Environment;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.WakeupListener;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * What all transports of a trial have accepted, and what listeners and consumers made of it. Told by several event
 * loops. A question is answered when all has arrived that should, or after a while with what has.
 */
final class Audience {
  /** What the ids of runs begin with whose first delivery fails. */
  static final String FAILING = "fail";

  /** What those begin with whose delivery takes a moment. */
  static final String SLOW = "slow";

  private static final long MOMENT_MILLIS = 5;

  private final Vertx vertx;
  private final Duration patience;
  private final Map<String, Listening> listening = new LinkedHashMap<>();
  private final List<String> settled = new ArrayList<>();
  private final Map<String, Integer> open = new HashMap<>(); // accepted less settled; below 0: more
  private final Set<String> unsettled = new HashSet<>();
  private final Set<String> settledForGood = new HashSet<>();
  private final Set<String> failed = new HashSet<>();
  private final Set<Environment> watched = new HashSet<>();
  private Promise<Void> change = Promise.promise();

  Audience(Vertx vertx, Duration patience) {
    this.vertx = vertx;
    this.patience = patience;
  }

  /** Whether the environment is new to those who listen to the provider. */
  synchronized boolean isNew(Environment environment) {
    return watched.add(environment);
  }

  /** It is published, once more perhaps, and may be delivered. */
  synchronized void expect(DeliveryMessage message) {
    settledForGood.remove(Texts.of(message));
  }

  void accept(DeliveryMessage message) {
    String text = Texts.of(message);
    changing(() -> {
      count(text, 1);
      listening.values().stream()
          .filter(each -> each.environment.equals(message.environment().name()))
          .forEach(each -> each.owe(text));
    });
  }

  /** A listener that gets what is accepted in its environment. */
  WakeupListener listener(String name, String environment) {
    Listening fresh = new Listening(environment);
    synchronized (this) {
      listening.put(name, fresh);
    }
    return new WakeupListener() {
      @Override
      public void onWakeups(List<DeliveryMessage> messages) {
        changing(() -> messages.forEach(message -> fresh.hear(Texts.of(message))));
      }

      @Override
      public void
          onPossibleLoss() {} // there is no outage, and who is told so need not have lost anything
    };
  }

  /** Its subscription is complete: what is accepted from now on must be heard. */
  synchronized void listensFromNowOn(String name) {
    Listening listener = listening.get(name);
    if (listener != null) {
      listener.listens = true;
    }
  }

  /** What is on its way to it need not arrive. */
  synchronized void stopListening(String name) {
    Listening listener = listening.get(name);
    if (listener != null) {
      listener.listens = false;
      listener.missing.clear();
    }
  }

  Future<List<String>> heard(String name) {
    return until(() -> {
          Listening listener = listening.get(name);
          return listener == null || listener.missing.isEmpty();
        })
        .map(over -> heardBy(name));
  }

  private synchronized List<String> heardBy(String name) {
    Listening listener = listening.get(name);
    return listener == null ? List.of() : List.copyOf(listener.heard);
  }

  /** Whether a worker fails with the wakeup, which it does once. */
  synchronized boolean failsWith(DeliveryMessage message) {
    return message.runId().startsWith(FAILING) && failed.add(Texts.of(message));
  }

  void settle(DeliveryMessage message) {
    String text = Texts.of(message);
    changing(() -> {
      settled.add(text);
      count(text, -1);
    });
  }

  private void count(String text, int more) {
    if (open.merge(text, more, Integer::sum) > 0) {
      unsettled.add(text);
    } else {
      unsettled.remove(text);
    }
  }

  /** A delivery that should not be: of what was settled for good, or to a worker that has gone. */
  void complain(String what) {
    changing(() -> settled.add(what));
  }

  synchronized boolean isSettledForGood(DeliveryMessage message) {
    return settledForGood.contains(Texts.of(message));
  }

  /** Nobody consumes any more: where all was settled, none of it comes again. */
  synchronized void nobodyConsumes() {
    if (unsettled.isEmpty()) {
      settledForGood.addAll(settled);
    }
  }

  /** What was settled of the environments that begin so, once all is. */
  Future<List<String>> allSettledIn(String scope) {
    return until(unsettled::isEmpty).map(over -> settledIn(scope));
  }

  /** What was settled so far of the environments that begin so. */
  synchronized List<String> settledIn(String scope) {
    return settled.stream().filter(each -> each.contains(" of " + scope)).toList();
  }

  private void changing(Runnable action) {
    Promise<Void> changed;
    synchronized (this) {
      action.run();
      changed = change;
      change = Promise.promise();
    }
    changed.complete();
  }

  /** Whether it held in the end. */
  private Future<Boolean> until(BooleanSupplier condition) {
    Promise<Boolean> over = Promise.promise();
    long timer = vertx.setTimer(patience.toMillis(), fired -> over.tryComplete(false));
    look(condition, over);
    return over.future().andThen((held, failure) -> vertx.cancelTimer(timer));
  }

  private void look(BooleanSupplier condition, Promise<Boolean> over) {
    Future<Void> next;
    boolean holds;
    synchronized (this) {
      holds = condition.getAsBoolean();
      next = change.future();
    }
    if (holds) {
      over.tryComplete(true);
      return;
    }
    next.onSuccess(changed -> {
      if (!over.future().isComplete()) {
        look(condition, over);
      }
    });
  }

  /** Waits a moment, as an attempt under way does. */
  Future<Void> moment() {
    return vertx.timer(MOMENT_MILLIS, TimeUnit.MILLISECONDS).mapEmpty();
  }

  private static final class Listening {
    final String environment;
    final Set<String> heard = new LinkedHashSet<>();
    final Set<String> missing = new HashSet<>();
    boolean listens;

    Listening(String environment) {
      this.environment = environment;
    }

    void owe(String text) {
      if (listens && !heard.contains(text)) {
        missing.add(text);
      }
    }

    void hear(String text) {
      heard.add(text);
      missing.remove(text);
    }
  }
}
