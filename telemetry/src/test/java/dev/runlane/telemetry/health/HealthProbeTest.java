package dev.runlane.telemetry.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
import dev.runlane.storage.CancellationSource;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.ext.healthchecks.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What a probe asks and leaves behind, in virtual time. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HealthProbeTest {
  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-03-04T12:00:00Z")));

  @Test
  void a_question_that_is_open_is_shared_however_long_answers_are_remembered() {
    AtomicInteger asked = new AtomicInteger();
    HealthProbe probe = new HealthProbe(
        timers,
        new RunlaneHealthOptions()
            .setTimeout(Duration.ofSeconds(10))
            .setRemembered(Duration.ofSeconds(1)),
        "it",
        "nothing",
        () -> {
          asked.incrementAndGet();
          return Promise.<Void>promise().future();
        });
    Future<Status> first = answer(probe);
    timers.advance(Duration.ofSeconds(9));

    Future<Status> second = answer(probe);
    assertThat(asked).hasValue(1);
    timers.advance(Duration.ofSeconds(1));

    assertThat(first.result().isOk()).isFalse();
    assertThat(second.result()).isSameAs(first.result());
    answer(probe);
    assertThat(asked).hasValue(2);
  }

  @Test
  void a_probe_of_the_listener_leaves_neither_subscription_nor_timer() {
    AtomicInteger open = new AtomicInteger();
    Notices notices = new Notices(
        echoing(open),
        new Environment("default"),
        new Ids(Clock.system(), Randomness.seeded(1)),
        timers,
        Duration.ofSeconds(3));

    assertThat(notices.hear().succeeded()).isTrue();

    assertThat(open).hasValue(0);
    assertThat(timers.pending()).isZero();
  }

  private static Future<Status> answer(HealthProbe probe) {
    Promise<Status> answer = Promise.promise();
    probe.answer(answer);
    return answer.future();
  }

  /** Every notice comes back at once. */
  private static CancellationSource echoing(AtomicInteger open) {
    return new CancellationSource() {
      private Consumer<String> listener = runId -> {};

      @Override
      public Future<Subscription> subscribe(Environment environment, Consumer<String> hearing) {
        listener = hearing;
        open.incrementAndGet();
        return Future.succeededFuture(() -> {
          open.decrementAndGet();
          return Future.succeededFuture();
        });
      }

      @Override
      public Future<Void> notifyRunOwner(Environment environment, String runId) {
        listener.accept(runId);
        return Future.succeededFuture();
      }
    };
  }
}
