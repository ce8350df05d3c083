package dev.runlane.runtime.publish;

import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.timing.FailureLog;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the wakeups of triggered runs behind their triggers, which wait for none of it. What comes while others
 * are published is gathered into batches; a few batches are under way at the same time, and a bounded number of
 * messages waits. A message that is not published here is left to the sweeps of the outbox publishers once its claim
 * has ended, so while the transport fails or does not keep up, {@link #isOpen} has triggers claim nothing.
 *
 * <p>{@link #publish} and {@link #isOpen} are for any thread, everything else happens on the home context.
 */
public final class EagerPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(EagerPublisher.class);
  private static final int MOST_BATCHES = 4;
  private static final int MOST_WAITING = 10_000;

  /** How long a transport that fails, or keeps all batches waiting, is left to the sweeps. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final RuntimeContext context;
  private final OutboxPublisher publisher;
  private final int batchSize;
  private final Deque<ClaimedOutboxMessage> waiting = new ArrayDeque<>();
  private final List<Promise<Void>> idle = new ArrayList<>(); // told when nothing is left
  private final FailureLog failures;
  private int batches;
  private volatile boolean full;
  private volatile Duration openFrom; // on the timers' own time
  private volatile Duration openUntil;

  /** One a process; publishes nothing until it is notified of a commit. */
  public EagerPublisher(RuntimeContext context, OutboxPublisherOptions options) {
    this.context = context;
    publisher = new OutboxPublisher(context, options);
    batchSize = options.getBatchSize();
    failures = new FailureLog(LOG, "publishing wakeups of triggered runs", context.timers());
    openFrom = context.timers().elapsed();
    openUntil = unlimited();
  }

  /** Whether messages that are claimed now will be published soon. */
  public boolean isOpen() {
    Duration now = context.timers().elapsed();
    return !full && now.compareTo(openFrom) >= 0 && now.compareTo(openUntil) < 0;
  }

  /** Publishes messages that the caller has claimed, as soon as it can. */
  public void publish(List<ClaimedOutboxMessage> claimed) {
    if (!claimed.isEmpty()) {
      context.host().execute(() -> {
        waiting.addAll(claimed);
        full = waiting.size() >= MOST_WAITING;
        publishNext();
      });
    }
  }

  /** Completes when nothing waits and nothing is under way. */
  public Future<Void> drained() {
    Promise<Void> drained = Promise.promise();
    idle.add(drained);
    notifyIfIdle();
    return drained.future();
  }

  private void publishNext() {
    while (batches < MOST_BATCHES && !waiting.isEmpty()) {
      List<ClaimedOutboxMessage> batch = new ArrayList<>();
      while (batch.size() < batchSize && !waiting.isEmpty()) {
        batch.add(waiting.remove());
      }
      batches++;
      full = false;
      publisher.publish(batch).onComplete(done -> context.host().execute(() -> {
        batches--;
        openUntil = unlimited();
        if (done.failed()) {
          failures.failed(done.cause(), "they are left to a sweep");
        } else {
          failures.succeeded();
        }
        if (done.failed() || done.result().failed() > 0) {
          openFrom = context.timers().elapsed().plus(PAUSE);
        }
        publishNext();
        notifyIfIdle();
      }));
    }
    if (batches == MOST_BATCHES && openUntil.equals(unlimited())) {
      openUntil = context.timers().elapsed().plus(PAUSE);
    }
  }

  private void notifyIfIdle() {
    if (batches == 0 && waiting.isEmpty()) {
      List<Promise<Void>> told = List.copyOf(idle);
      idle.clear();
      told.forEach(Promise::tryComplete);
    }
  }

  private static Duration unlimited() {
    return Duration.ofSeconds(Long.MAX_VALUE);
  }
}
