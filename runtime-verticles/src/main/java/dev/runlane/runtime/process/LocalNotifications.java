package dev.runlane.runtime.process;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.timing.FailureLog;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the roles of this process of its own commits, so that they need not wait for a poll. Notifications are
 * hints: a role that receives none still finds its work. Safe for use by any thread; a listener is called on
 * the executor it was registered with.
 */
public final class LocalNotifications {
  private static final Logger LOG = LoggerFactory.getLogger(LocalNotifications.class);

  private final List<Listener<String>> work = new CopyOnWriteArrayList<>();
  private final List<Listener<Instant>> outbox = new CopyOnWriteArrayList<>();
  private final List<Listener<String>> dispatch = new CopyOnWriteArrayList<>();
  private final List<Listener<RunRecord>> waiting = new CopyOnWriteArrayList<>();
  private final List<Listener<String>> cancellation = new CopyOnWriteArrayList<>();
  private final List<Listener<Instant>> steps = new CopyOnWriteArrayList<>();
  private final List<Listener<Integer>> dispatched = new CopyOnWriteArrayList<>();
  private final List<Listener<String>> resumed = new CopyOnWriteArrayList<>();
  private final List<Listener<RunRecord>> terminal = new CopyOnWriteArrayList<>();
  private final FailureLog failures = // guarded by itself
      new FailureLog(LOG, "telling a listener of this process's commits");
  private volatile boolean receivesFromOthers;

  /**
   * Whether wakeups of other processes reach this one, so that work they make is reported here too, as {@link
   * #onWorkAvailable}.
   */
  public boolean receivesFromOthers() {
    return receivesFromOthers;
  }

  /** Sets whether they do. */
  public void setReceivesFromOthers(boolean receives) {
    receivesFromOthers = receives;
  }

  /** Work may be due in a queue: for workers. */
  public Registration onWorkAvailable(Executor executor, Consumer<String> queue) {
    return register(work, new Hints<>(executor, queue));
  }

  /** An outbox message is available from an instant on: for the publisher. */
  public Registration onOutboxChanged(Executor executor, Consumer<Instant> availableAt) {
    return register(outbox, executor, availableAt);
  }

  /** Whether a publisher of this process hears of the outbox. */
  public boolean hasOutboxListener() {
    return !outbox.isEmpty();
  }

  /** A run of a bounded queue waits, or a slot of it became free: for the dispatcher. */
  public Registration onDispatchChanged(Executor executor, Consumer<String> queue) {
    return register(dispatch, new Hints<>(executor, queue));
  }

  /** A run waits for a later instant, its {@code runAt}: for the role that resumes it then. */
  public Registration onRunWaits(Executor executor, Consumer<RunRecord> run) {
    return register(waiting, executor, run);
  }

  /** Cancellation of a running run was requested: for its owner. */
  public Registration onCancellationRequested(Executor executor, Consumer<String> runId) {
    return register(cancellation, executor, runId);
  }

  /** A run ended for good: for callers that await it. */
  public Registration onRunTerminal(Executor executor, Consumer<RunRecord> run) {
    return register(terminal, executor, run);
  }

  /** A remote step is due from an instant on: for the step dispatcher. */
  public Registration onStepsDue(Executor executor, Consumer<Instant> dueAt) {
    return register(steps, executor, dueAt);
  }

  /** So many remote steps were dispatched: for the role that receives their results. */
  public Registration onStepsDispatched(Executor executor, Consumer<Integer> steps) {
    return register(dispatched, executor, steps);
  }

  /** A queue was paused and is not any more: for whoever claims or reserves. */
  public Registration onQueueResumed(Executor executor, Consumer<String> queue) {
    return register(resumed, executor, queue);
  }

  void queueResumed(String queue) {
    deliver(resumed, queue);
  }

  public void stepsDispatched(int count) {
    deliver(dispatched, count);
  }

  public void stepsDue(Instant dueAt) {
    deliver(steps, dueAt);
  }

  public void workAvailable(String queue) {
    deliver(work, queue);
  }

  public void outboxChanged(Instant availableAt) {
    deliver(outbox, availableAt);
  }

  public void dispatchChanged(String queue) {
    deliver(dispatch, queue);
  }

  public void runWaits(RunRecord run) {
    deliver(waiting, run);
  }

  void cancellationRequested(String runId) {
    deliver(cancellation, runId);
  }

  void runTerminal(RunRecord run) {
    deliver(terminal, run);
  }

  /**
   * Notifies the listeners of these committed events, except of outbox messages that are due at once and whose
   * wakeups somebody else sends.
   */
  public void committed(RunRecord run, List<? extends RunEvent> events, OutboxRows rows) {
    for (RunEvent event : events) {
      if (event instanceof RunEvent.DeliveryRequested requested
          && (rows == OutboxRows.LEFT_TO_PUBLISHER || isForLater(requested))) {
        outboxChanged(requested.delivery().availableAt());
      }
      if (event instanceof RunEvent.StepRequested step && step.isRemote()) {
        stepsDue(step.header().occurredAt());
      }
    }
    switch (run.status()) {
      case RETRYING, RELEASED, SCHEDULED -> runWaits(run);
      case CANCELLATION_REQUESTED -> cancellationRequested(run.id());
      case SUCCEEDED, FAILED, CANCELLED -> runTerminal(run);
      case QUEUED, RUNNING -> {
        // whoever made it so notifies workers and dispatcher by the queue's name
      }
    }
  }

  /** Only what is due at once is claimed or published by whoever commits it. */
  private static boolean isForLater(RunEvent.DeliveryRequested requested) {
    return requested.delivery().availableAt().isAfter(requested.header().occurredAt());
  }

  private static <T> Registration register(
      List<Listener<T>> listeners, Executor executor, Consumer<T> action) {
    return register(listeners, new Each<>(executor, action));
  }

  private static <T> Registration register(List<Listener<T>> listeners, Listener<T> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** What a listener throws is no failure of the commit it is told of, and keeps it from no other listener. */
  private <T> void deliver(List<Listener<T>> listeners, T news) {
    for (Listener<T> listener : listeners) {
      try {
        listener.tell(news);
      } catch (Throwable thrown) {
        synchronized (failures) {
          failures.failed(thrown, "the others are told");
        }
      }
    }
  }

  /** Who publishes the rows a commit made that are due at once. */
  public enum OutboxRows {
    LEFT_TO_PUBLISHER,
    CLAIMED_BY_COMMITTER,
    /** There are none: the storage sends those wakeups itself. */
    NONE
  }

  /** Ends with {@link #close()}; a listener that is being called meanwhile still is. */
  public interface Registration {
    void close();
  }

  /** An object of its own, so that the same action may be registered twice. */
  private interface Listener<T> {
    void tell(T news);
  }

  /** Is notified of everything. */
  private static final class Each<T> implements Listener<T> {
    private final Executor executor;
    private final Consumer<T> action;

    Each(Executor executor, Consumer<T> action) {
      this.executor = executor;
      this.action = action;
    }

    @Override
    public void tell(T news) {
      executor.execute(() -> action.accept(news));
    }
  }

  /** Is notified once of what is reported several times before its turn comes: a burst of commits is one turn. */
  private static final class Hints<T> implements Listener<T> {
    private final Executor executor;
    private final Consumer<T> action;
    private final Set<T> onTheirWay = ConcurrentHashMap.newKeySet();

    Hints(Executor executor, Consumer<T> action) {
      this.executor = executor;
      this.action = action;
    }

    @Override
    public void tell(T news) {
      if (onTheirWay.add(news)) {
        try {
          executor.execute(() -> {
            onTheirWay.remove(news); // before the look: what comes meanwhile is looked at again
            action.accept(news);
          });
        } catch (Throwable refused) {
          onTheirWay.remove(news);
          throw refused;
        }
      }
    }
  }
}
