package dev.runlane.storage.pg;

import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the process's clock with that of Postgres, at start and every hour. Nothing decides by the
 * clock of Postgres; but it is the one all processes can compare themselves with, and leases rely on
 * their clocks being close.
 */
final class ClockCheck {
  private static final Logger LOG = LoggerFactory.getLogger(ClockCheck.class);
  private static final Duration TOLERATED = Duration.ofSeconds(1);
  private static final Duration PERIOD = Duration.ofHours(1);

  private final Vertx vertx;
  private final PgSession session;
  private final Clock clock;
  private final String now;
  private long timer;
  private boolean stopped;

  ClockCheck(Vertx vertx, PgSession session, Clock clock) {
    this.vertx = vertx;
    this.session = session;
    this.clock = clock;
    this.now = session.statements().get("now");
  }

  /** Checks now and then every hour; completes with the first check. */
  Future<Void> start() {
    return check().map(difference -> {
      if (difference.abs().compareTo(TOLERATED) > 0) {
        LOG.warn(
            "this process's clock is {} ahead of Postgres's; leases need clocks that agree",
            difference);
      }
      if (!stopped) {
        timer = vertx.setTimer(PERIOD.toMillis(), fired -> again());
      }
      return null;
    });
  }

  void stop() {
    stopped = true;
    vertx.cancelTimer(timer);
  }

  /** How far this process's clock is ahead, half of the round trip taken off. */
  Future<Duration> check() {
    Instant sent = clock.now();
    return session.execute(now, Tuple.tuple()).map(rows -> {
      Instant there = rows.iterator().next().getOffsetDateTime(0).toInstant();
      Instant received = clock.now();
      Instant here = sent.plus(Duration.between(sent, received).dividedBy(2));
      return Duration.between(there, here);
    });
  }

  private void again() {
    start().recover(failure -> {
      LOG.debug("the clocks could not be compared, next in {}", PERIOD, failure);
      timer = vertx.setTimer(PERIOD.toMillis(), fired -> again());
      return Future.succeededFuture();
    });
  }
}
