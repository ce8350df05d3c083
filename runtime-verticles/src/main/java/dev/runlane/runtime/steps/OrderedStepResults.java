package dev.runlane.runtime.steps;

import dev.runlane.run.RunEvent;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Gives recorded results to the handler: in the order of history, each in a turn of its own, and none before the
 * handler has asked for all that come before it. Touched on the home context only.
 */
final class OrderedStepResults {
  private final RuntimeContext context;
  private final StepResults results;
  private final Executor turns;
  private final List<StepCall<?>> calls; // by position; grows while the handler asks
  private final Listener listener;
  private final Deque<Settled> settled = new ArrayDeque<>(); // recorded, not delivered
  private Timers.@Nullable Timer stuck;
  private boolean pumping;
  private boolean delivering;
  private int askedBefore; // the turn in which a failure is delivered
  private boolean over;

  /** @param turns runs each action in a later turn of the handler's context, one after the other */
  OrderedStepResults(
      RuntimeContext context,
      StepResults results,
      Executor turns,
      List<StepCall<?>> calls,
      Listener listener) {
    this.context = context;
    this.results = results;
    this.turns = turns;
    this.calls = calls;
    this.listener = listener;
  }

  /** Takes the next result of the history. */
  void add(Settled next) {
    settled.add(next);
  }

  /** Takes results of the history that were held back, before all that have not had their turn. */
  void addFirst(List<Settled> held) {
    for (int index = held.size() - 1; index >= 0; index--) {
      settled.addFirst(held.get(index));
    }
  }

  /** Whether a result is being delivered, or has its turn. */
  boolean isBusy() {
    return delivering || (!settled.isEmpty() && isAsked(settled.element()));
  }

  /** Whether nothing is to be delivered and nothing is being delivered. */
  boolean isIdle() {
    return !delivering && settled.isEmpty();
  }

  /** Drops what is left. */
  void close() {
    over = true;
    disarm();
  }

  /** Delivers what has its turn. */
  void deliverReady() {
    if (pumping) {
      return;
    }
    pumping = true;
    while (!over && !delivering && !settled.isEmpty() && isAsked(settled.element())) {
      deliver(settled.remove());
    }
    pumping = false;
    if (!over && !delivering) {
      watch();
    }
  }

  private boolean isAsked(Settled next) {
    return next.position < calls.size();
  }

  private void deliver(Settled next) {
    delivering = true;
    disarm();
    StepCall<?> call = calls.get(next.position);
    boolean failed = next.result.isFailed();
    turns.execute(() -> {
      if (failed) { // comes after all that the handler has asked for before
        context.host().execute(() -> askedBefore = calls.size());
      }
      Future<?> recorded = call.recorded(next.result, results);
      try {
        call.deliver(recorded);
      } finally { // what a callback of the handler throws is its own, and no other result waits for
        // it
        context.host().execute(() -> endTurn(next, failed ? recorded.cause() : null));
      }
    });
  }

  /** Whatever the handler asked for at once is known by now. */
  private void endTurn(Settled delivered, @Nullable Throwable failure) {
    delivering = false;
    if (failure != null && calls.size() == askedBefore) {
      listener.failedInSilence(delivered.position, failure);
    }
    deliverReady();
    if (!over) {
      listener.turnEnded();
    }
  }

  /** A handler that waits for a result behind one it never asks for would wait for ever. */
  private void watch() {
    Optional<Settled> waiting = settled.stream().filter(this::isAsked).findFirst();
    if (waiting.isEmpty()) {
      disarm();
    } else if (stuck == null) {
      stuck = context.timers().schedule(context.options().getStepReplayTimeout(), () -> {
        stuck = null;
        if (!over) {
          listener.neverAsked(settled.element(), waiting.get());
        }
      });
    }
  }

  private void disarm() {
    if (stuck != null) {
      stuck.cancel();
      stuck = null;
    }
  }

  /** Told on the home context. */
  interface Listener {
    /** The handler has had a turn with a result, and what it asked for at once is known. */
    void turnEnded();

    /** It was given this failure of a step, and asked for nothing in that turn. */
    void failedInSilence(int position, Throwable failure);

    /** The handler waits for {@code waiting} and does not ask for {@code recorded}, which is before it. */
    void neverAsked(Settled recorded, Settled waiting);
  }

  /** A result that is in the history. */
  record Settled(int position, String description, RunEvent.StepCompleted result) {}
}
