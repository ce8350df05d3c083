package dev.runlane.transport.kafka;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Waits of tests, all bounded. */
final class Awaiting {
  private static final int MOST_TRIES = 600;

  private Awaiting() {}

  static <T> T done(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  static RunlaneException failure(Future<?> future) {
    try {
      Object answer = future.await(60, SECONDS);
      throw new AssertionError("succeeded with " + answer);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    } catch (RunlaneException failure) {
      return failure;
    }
  }

  static void assertFails(ErrorCode code, Future<?> future) {
    assertThat(failure(future).code()).isEqualTo(code);
  }

  /** Probes until brokers answer: a busy machine may keep one from its answer for the two seconds that it has. */
  static void answered(Vertx vertx, KafkaTransport transport) {
    until(
        vertx,
        "a probe is answered",
        () -> done(transport
            .probe()
            .orElseThrow()
            .probe()
            .transform(probed -> Future.succeededFuture(probed.succeeded()))));
  }

  /** Asks again and again, for about a minute, until the condition holds. */
  static void until(Vertx vertx, String what, BooleanSupplier condition) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      if (condition.getAsBoolean()) {
        return;
      }
      done(vertx.timer(100, java.util.concurrent.TimeUnit.MILLISECONDS).mapEmpty());
    }
    throw new AssertionError("never happened: " + what);
  }
}
