package dev.runlane.conformance.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CaseVertxTest {
  @Test
  void its_contexts_run_on_event_loops_that_differ() {
    CaseVertx vertx = CaseVertx.open(new BlockedLoops());
    Set<Thread> threads = new HashSet<>();

    for (Context context : vertx.contexts()) {
      Promise<Thread> started = Promise.promise();
      context.runOnContext(start -> started.complete(Thread.currentThread()));
      threads.add(Outcomes.done(started.future()));
    }

    assertThat(threads).hasSameSizeAs(vertx.contexts()).hasSizeGreaterThan(1);
    vertx.close();
  }

  @Test
  void closing_fails_with_every_exception_that_nobody_caught() {
    CaseVertx vertx = CaseVertx.open(new BlockedLoops());
    RuntimeException first = new IllegalStateException("first");
    RuntimeException second = new IllegalStateException("second");
    throwOn(vertx, first);
    throwOn(vertx, second);

    assertThatThrownBy(vertx::close)
        .isInstanceOf(AssertionError.class)
        .hasCause(first)
        .satisfies(failure -> assertThat(failure.getSuppressed()).containsExactly(second));
  }

  @Test
  void closing_fails_when_an_event_loop_was_blocked() throws Exception {
    CaseVertx vertx = CaseVertx.open(new BlockedLoops(Duration.ofMillis(20)));
    CountDownLatch noticed = new CountDownLatch(1);
    vertx.contexts().get(0).runOnContext(start -> awaitUninterrupted(noticed));

    awaitEscaped(vertx);
    noticed.countDown();

    assertThatThrownBy(vertx::close)
        .isInstanceOf(AssertionError.class)
        .satisfies(failure -> assertThat(
                Stream.concat(Stream.of(failure.getCause()), Stream.of(failure.getSuppressed())))
            .anyMatch(CaseVertxTest::tellsWhere));
  }

  @Test
  void closing_succeeds_when_nothing_has_escaped() {
    CaseVertx vertx = CaseVertx.open(new BlockedLoops());
    Promise<Void> ran = Promise.promise();
    vertx.contexts().get(0).runOnContext(ran::complete);
    Outcomes.done(ran.future());

    assertThatCode(vertx::close).doesNotThrowAnyException();
  }

  /** Throws on a context and waits until the next turn of that context. */
  private static void throwOn(CaseVertx vertx, RuntimeException thrown) {
    Context context = vertx.contexts().get(0);
    Promise<Void> after = Promise.promise();
    context.runOnContext(start -> {
      throw thrown;
    });
    context.runOnContext(after::complete);
    Outcomes.done(after.future());
  }

  private static boolean tellsWhere(Throwable blocked) {
    return Arrays.stream(blocked.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("awaitUninterrupted"));
  }

  /** Asks a loop that is free, again and again, until it was noticed where the other one is blocked. */
  private static void awaitEscaped(CaseVertx vertx) throws TimeoutException {
    Promise<Void> noticed = Promise.promise();
    Vertx free = Vertx.vertx();
    free.setPeriodic(5, timer -> {
      if (vertx.escaped().stream().anyMatch(CaseVertxTest::tellsWhere)) {
        noticed.tryComplete();
      }
    });
    noticed.future().await(60, TimeUnit.SECONDS);
    Outcomes.done(free.close());
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      if (!latch.await(60, TimeUnit.SECONDS)) {
        throw new AssertionError("never released");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
