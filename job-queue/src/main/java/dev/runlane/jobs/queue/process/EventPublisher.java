package dev.runlane.jobs.queue.process;

import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes events through the store: one call at a time, with all that came in a turn or since, in their order.
 * Nobody waits for it, and what fails is dropped, as events are hints. Touched on the home context only.
 */
public final class EventPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(EventPublisher.class);

  private static final Backoff AFTER_FAILURE =
      Backoff.exponential(Duration.ofMillis(200), Duration.ofSeconds(5)).withJitter(0.2);

  /** Most events in one call. */
  private static final int BATCH = 500;

  private final JobStore store;
  private final JobsHost host;
  private final Randomness randomness;
  private final JobsOptions options;
  private final ArrayDeque<StoreEvent> pending = new ArrayDeque<>();
  private final FailureLog failures = new FailureLog(LOG, "telling events of jobs");
  private Future<?> call = Future.succeededFuture(); // the last one's end, never failed
  private int failedInARow;
  private boolean calling;
  private boolean paused;
  private boolean deferred;
  private long dropped;

  EventPublisher(JobStore store, JobsHost host, Randomness randomness, JobsOptions options) {
    this.store = store;
    this.host = host;
    this.randomness = randomness;
    this.options = options;
  }

  /** Publishes those of the events that are not left out. */
  void publish(List<StoreEvent> events) {
    for (StoreEvent event : events) {
      if (options.getPublishedEvents().contains(event.type())) {
        pending.add(event);
      }
    }
    while (pending.size() > options.getPendingEvents()) {
      pending.remove();
      dropped++;
    }
    if (!deferred && !calling) {
      deferred = true;
      host.defer(() -> {
        deferred = false;
        next();
      });
    }
  }

  /** Completes, and never fails, when all events so far are published. */
  public Future<Void> flushed() {
    paused = false;
    next();
    return calling ? call.transform(ended -> flushed()) : Future.succeededFuture();
  }

  /** What comes meanwhile waits: a store that is away is not asked for each event. */
  private void failed(Throwable failure) {
    failedInARow++;
    Duration pause = AFTER_FAILURE.delay(failedInARow, randomness);
    failures.failed(failure, pause);
    paused = true;
    host.timers().schedule(pause, () -> {
      paused = false;
      next();
    });
  }

  private void next() {
    if (calling || paused || pending.isEmpty()) {
      return;
    }
    if (dropped > 0) {
      LOG.warn("{} events of jobs were dropped, because the store tells them too slowly", dropped);
      dropped = 0;
    }
    List<StoreEvent> batch = new ArrayList<>();
    while (batch.size() < BATCH && !pending.isEmpty()) {
      batch.add(pending.remove());
    }
    calling = true;
    call = Future.<Void>succeededFuture()
        .compose(start -> store.publishAll(batch))
        .transform((told, failure) -> {
          calling = false;
          if (failure == null) {
            failures.succeeded();
            failedInARow = 0;
            next();
          } else {
            failed(failure);
          }
          return Future.succeededFuture();
        });
  }
}
