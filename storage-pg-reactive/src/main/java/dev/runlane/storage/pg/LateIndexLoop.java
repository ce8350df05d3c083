package dev.runlane.storage.pg;

import dev.runlane.timing.Timers;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles the indexes of a schema behind the start of a storage, and tries again once a minute until nothing is left or
 * the storage is closed: another process may be at it, one of the release before may live, or Postgres refuses for now.
 */
final class LateIndexLoop {
  private static final Logger LOG = LoggerFactory.getLogger(LateIndexLoop.class);

  /** How long what is left waits for the next try = 1 min. */
  static final Duration RETRY_DELAY = Duration.ofMinutes(1);

  private static final String BUSY =
      "another process makes them, or a session of it still has the lock for that";
  private static final String TAKEN =
      "somebody else makes or drops an index of the table, or vacuums it";

  private final Vertx vertx;
  private final Timers timers;
  private final LateIndexes indexes;
  private final String schema;
  private final PgConnectOptions options;
  private final Set<String> reported = new HashSet<>(); // one try follows the other
  private final AtomicBoolean underWay = new AtomicBoolean(); // or waiting for its next try
  private volatile boolean closed;
  private volatile Timers.@Nullable Timer next;

  /** @param options lead past a pooler, or else nothing is made */
  LateIndexLoop(
      Vertx vertx, Timers timers, LateIndexes indexes, String schema, PgConnectOptions options) {
    this.vertx = vertx;
    this.timers = timers;
    this.indexes = indexes;
    this.schema = schema;
    this.options = options;
  }

  /**
   * Begins where something is left, unless it has begun already: a storage may be started for each deployment. Nothing
   * waits for its end: claims are right without, and only walk.
   */
  void begin(UnsettledIndexes left) {
    // The lock, and what is set, would stay with a session that a pooler gives to somebody else.
    if (!left.isEmpty() && options.getUseLayer7Proxy()) {
      LOG.warn(
          "schema {} lacks indexes that this process cannot make through a pooler: set listen options that lead"
              + " past it",
          schema);
    } else if (!left.isEmpty() && underWay.compareAndSet(false, true)) {
      settle(left);
    }
  }

  private void settle(UnsettledIndexes known) {
    if (closed) {
      return;
    }
    indexes.settle(vertx, options).onComplete((left, failure) -> {
      if (failure != null) {
        report(known, String.valueOf(failure.getMessage()));
        settleLater(known);
      } else if (!left.isEmpty()) {
        if (!left.missing().isEmpty()) {
          report(left, left.isBusy() ? BUSY : TAKEN);
        }
        settleLater(left);
      } else {
        underWay.set(false);
      }
    });
  }

  private void settleLater(UnsettledIndexes left) {
    if (!closed) {
      next = timers.schedule(RETRY_DELAY, () -> settle(left));
    }
  }

  /** Once for each cause, since a role that may not make them stays such a role. */
  private void report(UnsettledIndexes left, String cause) {
    if (closed || !reported.add(cause)) {
      return;
    }
    if (left.missing().isEmpty()) {
      LOG.warn(
          "schema {} has indexes that are written and never read: {}; this process tries to drop them again"
              + " every minute",
          schema,
          cause);
    } else {
      LOG.warn(
          "schema {} has not got every index of due runs, so claims may be slow: {}; this process tries again"
              + " every minute",
          schema,
          cause);
    }
  }

  /** What Postgres makes at this moment it makes to the end. */
  void close() {
    closed = true;
    Timers.Timer waiting = next;
    if (waiting != null) {
      waiting.cancel();
    }
  }
}
