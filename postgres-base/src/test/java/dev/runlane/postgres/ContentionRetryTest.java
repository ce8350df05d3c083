package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ContentionRetryTest {
  private final ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
  private final ContentionRetry work = new ContentionRetry(timers, PgFailures::mayBeSentAgain);
  private final AtomicInteger tries = new AtomicInteger();

  @Test
  void what_others_keep_from_its_rows_is_tried_for_ten_seconds() {
    Future<Void> failing = work.run(() -> refused("40P01"));

    timers.advance(Duration.ofMillis(9_900));
    assertThat(failing.isComplete()).isFalse();
    int before = tries.get();
    timers.advance(Duration.ofMillis(500));

    assertThat(Database.failure(failing)).isInstanceOf(PgException.class);
    assertThat(tries.get()).isGreaterThan(before);
    assertThat(timers.pending()).isZero();
  }

  @Test
  void a_try_that_succeeds_is_the_last() {
    Future<String> working = work.run(() -> tries.incrementAndGet() < 4
        ? Future.failedFuture(failure("55P03"))
        : Future.succeededFuture("done"));

    timers.advance(Duration.ofSeconds(1));

    assertThat(Database.done(working)).isEqualTo("done");
    assertThat(tries).hasValue(4);
  }

  @Test
  void a_statement_that_was_stopped_is_not_tried_again() {
    Future<Void> failing = work.run(() -> refused("57014"));

    assertThat(Database.failure(failing)).isInstanceOf(PgException.class);
    assertThat(tries).hasValue(1);
  }

  private Future<Void> refused(String state) {
    tries.incrementAndGet();
    return Future.failedFuture(failure(state));
  }

  private static PgException failure(String state) {
    return new PgException("as Postgres says it", "ERROR", state, null);
  }
}
