package dev.runlane.timing;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SweepLoopTest {
  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final Duration TURN = Duration.ofMillis(1);

  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-03-01T12:00:00Z")));
  private final List<Promise<Boolean>> sweeps = new ArrayList<>();
  private final SweepLoop loop = new SweepLoop(timers, "test", this::sweep, IDLE);

  @Test
  void the_first_sweep_begins_in_the_turn_after_start() {
    loop.start();
    assertThat(sweeps).isEmpty();

    timers.advance(TURN);
    assertThat(sweeps).hasSize(1);
  }

  @Test
  void the_next_sweep_is_armed_when_the_last_ends() {
    begin();
    timers.advance(IDLE.multipliedBy(10));
    assertThat(sweeps).hasSize(1);

    end(false);
    timers.advance(IDLE.minus(TURN));
    assertThat(sweeps).hasSize(1);
    timers.advance(TURN);
    assertThat(sweeps).hasSize(2);
  }

  @Test
  void a_role_may_pause_longer_than_after_a_failure() {
    List<Duration> pauses = new ArrayList<>(List.of(IDLE.multipliedBy(3), IDLE.multipliedBy(2)));
    SweepLoop pausing = new SweepLoop(timers, "test", this::sweep, IDLE, () -> pauses.remove(0));
    pausing.start();
    timers.advance(TURN);

    end(false);
    timers.advance(IDLE.multipliedBy(3).minus(TURN));
    assertThat(sweeps).hasSize(1);
    timers.advance(TURN);
    assertThat(sweeps).hasSize(2);
    logOf(() -> sweeps.get(1).fail("no storage"));
    timers.advance(IDLE);
    assertThat(sweeps).hasSize(3);
    end(true);
    timers.advance(TURN);
    end(false);
    pausing.wakeIn(IDLE);
    timers.advance(IDLE);

    assertThat(sweeps).hasSize(5);
    assertThat(pauses).isEmpty();
  }

  @Test
  void more_that_is_waiting_is_swept_in_the_next_turn() {
    begin();
    end(true);
    assertThat(sweeps).hasSize(1);

    timers.advance(TURN);
    assertThat(sweeps).hasSize(2);
  }

  @Test
  void a_loop_with_turns_of_its_own_sets_no_timer_while_more_is_waiting() {
    Queue<Runnable> turns = new ArrayDeque<>();
    SweepLoop turning = new SweepLoop(timers, "test", this::sweep, IDLE, turns::add);
    turning.start();
    assertThat(sweeps).isEmpty();
    turns.remove().run();

    end(true);
    assertThat(sweeps).as("not within the turn that ended the last").hasSize(1);
    turns.remove().run();
    assertThat(sweeps).hasSize(2);
    assertThat(timers.pending()).isZero();

    end(false);
    assertThat(turns).isEmpty();
    assertThat(timers.untilNext()).contains(IDLE);
  }

  @Test
  void a_turn_that_comes_after_the_stop_sweeps_nothing() {
    Queue<Runnable> turns = new ArrayDeque<>();
    SweepLoop turning = new SweepLoop(timers, "test", this::sweep, IDLE, turns::add);
    turning.start();
    turns.remove().run();
    end(true);

    turning.stop();
    turns.remove().run();

    assertThat(sweeps).hasSize(1);
  }

  @Test
  void a_request_sweeps_at_once_and_replaces_the_armed_sweep() {
    begin();
    end(false);
    timers.advance(Duration.ofMillis(400));

    loop.wake();
    assertThat(sweeps).hasSize(2);
    assertThat(timers.pending()).isZero();

    end(false);
    assertThat(timers.untilNext()).contains(IDLE);
  }

  @Test
  void requests_during_a_sweep_ask_for_one_more() {
    begin();
    loop.wake();
    timers.advance(Duration.ofMillis(300));
    loop.wake();
    assertThat(sweeps).hasSize(1);

    end(false);
    timers.advance(TURN);
    assertThat(sweeps).hasSize(2);
    end(false);
    assertThat(timers.untilNext()).contains(IDLE);
  }

  @Test
  void a_known_due_time_brings_the_armed_sweep_forward_but_never_back() {
    begin();
    end(false);

    loop.wakeIn(Duration.ofMillis(300));
    loop.wakeIn(Duration.ofMillis(500));
    loop.wakeIn(IDLE.multipliedBy(5));

    assertThat(timers.pending()).isEqualTo(1);
    assertThat(timers.untilNext()).contains(Duration.ofMillis(300));
    timers.advance(Duration.ofMillis(300));
    end(false);
    assertThat(timers.untilNext()).contains(IDLE);
  }

  @Test
  void a_due_time_found_by_a_sweep_counts_from_when_it_was_told() {
    begin();
    loop.wakeIn(Duration.ofMillis(300));
    loop.wakeIn(Duration.ofMillis(700));
    timers.advance(Duration.ofMillis(100));
    end(false);
    assertThat(timers.untilNext()).contains(Duration.ofMillis(200));

    timers.advance(Duration.ofMillis(200));
    loop.wakeIn(Duration.ofMillis(300));
    timers.advance(Duration.ofMillis(500));
    end(false);
    assertThat(timers.untilNext()).contains(TURN);
  }

  @Test
  void a_due_time_past_the_idle_delay_does_not_put_the_sweep_off() {
    begin();
    loop.wakeIn(Duration.ofDays(1));
    end(false);

    assertThat(timers.untilNext()).contains(IDLE);
  }

  @Test
  void a_failed_sweep_is_logged_and_the_idle_delay_kept_whatever_was_asked_for() {
    begin();
    loop.wake();
    loop.wakeIn(Duration.ZERO);

    String log = logOf(() -> sweeps.get(0).fail(new IllegalStateException("database is away")));

    assertThat(log).contains("WARN", "test sweep failed, next in PT1S", "database is away");
    assertThat(timers.untilNext()).contains(IDLE);
    timers.advance(IDLE);
    assertThat(sweeps).hasSize(2);
  }

  @Test
  void a_failure_that_repeats_is_logged_in_one_line_and_its_end_once() {
    begin();
    String first = logOf(() -> sweeps.get(0).fail(new IllegalStateException("away")));
    timers.advance(IDLE);
    String again = logOf(() -> sweeps.get(1).fail(new IllegalStateException("away")));
    timers.advance(IDLE);
    String another = logOf(() -> sweeps.get(2).fail(new IllegalStateException("full")));
    timers.advance(IDLE);
    String over = logOf(() -> sweeps.get(3).complete(false));
    timers.advance(IDLE);
    String quiet = logOf(() -> sweeps.get(4).complete(false));

    assertThat(first).contains("test sweep failed", "\tat ");
    assertThat(again).contains("failed 2 times in a row", "away").doesNotContain("\tat ");
    assertThat(another).contains("test sweep failed", "full", "\tat ");
    assertThat(over).contains("test sweep works again after failing 3 times");
    assertThat(quiet).isEmpty();
  }

  @Test
  void a_sweep_that_throws_or_answers_null_is_one_that_failed() {
    List<Supplier<Future<Boolean>>> broken = List.of(
        () -> {
          throw new IllegalStateException("thrown");
        },
        () -> {
          throw new StackOverflowError("thrown");
        },
        () -> Future.failedFuture(new Unreadable()),
        () -> Future.failedFuture(new IllegalStateException("readable", new Unreadable())),
        () -> null,
        () -> Future.succeededFuture(null));
    for (Supplier<Future<Boolean>> sweep : broken) {
      SweepLoop failing = new SweepLoop(timers, "broken", sweep, IDLE);
      failing.start();

      String log = logOf(() -> timers.advance(TURN));

      assertThat(log).contains("broken sweep failed");
      assertThat(timers.untilNext()).contains(IDLE);
      assertThat(failing.stop().succeeded()).isTrue();
      assertThat(timers.pending()).isZero();
    }
  }

  @Test
  void a_role_that_cannot_say_how_long_it_may_pause_is_swept_after_the_idle_delay() {
    SweepLoop moody = new SweepLoop(timers, "moody", this::sweep, IDLE, () -> {
      throw new IllegalStateException("no idea");
    });
    moody.start();
    timers.advance(TURN);

    String log = logOf(() -> end(false));

    assertThat(log).contains("moody", "no idea");
    assertThat(timers.untilNext()).contains(IDLE);
    timers.advance(IDLE);
    assertThat(sweeps).hasSize(2);
  }

  @Test
  void a_log_that_fails_is_no_end_of_the_loop() {
    SweepLoop moody = new SweepLoop(timers, "moody", this::sweep, IDLE, () -> {
      throw new IllegalStateException("no idea");
    });
    moody.start();
    timers.advance(TURN);
    PrintStream before = System.err;
    System.setErr(new PrintStream(OutputStream.nullOutputStream()) {
      @Override
      public void println(@Nullable String line) {
        throw new IllegalStateException("the appender is broken");
      }
    });
    try {
      end(false);
    } finally {
      System.setErr(before);
    }

    timers.advance(IDLE);
    assertThat(sweeps).hasSize(2);
  }

  /** Cannot say what it is. */
  private static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("this failure has no words");
    }
  }

  @Test
  void stop_waits_for_the_sweep_in_flight_and_nothing_follows_it() {
    begin();

    Future<Void> stopped = loop.stop();
    assertThat(stopped.isComplete()).isFalse();
    assertThat(loop.stop()).isSameAs(stopped);
    loop.wake();
    loop.wakeIn(Duration.ZERO);

    end(true);
    assertThat(stopped.succeeded()).isTrue();
    timers.advance(IDLE.multipliedBy(5));
    assertThat(sweeps).hasSize(1);
    assertThat(timers.pending()).isZero();
  }

  @Test
  void stop_succeeds_though_the_sweep_in_flight_fails_which_is_logged() {
    begin();
    Future<Void> stopped = loop.stop();

    assertThat(logOf(() -> sweeps.get(0).fail("too late"))).contains("too late");
    assertThat(stopped.succeeded()).isTrue();
    assertThat(timers.pending()).isZero();
  }

  @Test
  void stop_cancels_the_armed_sweep() {
    begin();
    end(false);

    assertThat(loop.stop().succeeded()).isTrue();
    loop.wake();
    loop.wakeIn(Duration.ZERO);

    assertThat(timers.pending()).isZero();
    assertThat(sweeps).hasSize(1);
  }

  @Test
  void a_loop_that_was_not_started_only_stops() {
    loop.wake();
    loop.wakeIn(Duration.ZERO);
    assertThat(sweeps).isEmpty();
    assertThat(timers.pending()).isZero();

    assertThat(loop.stop().succeeded()).isTrue();
    assertThatThrownBy(loop::start).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void a_loop_starts_once() {
    loop.start();

    assertThatThrownBy(loop::start).isInstanceOf(IllegalStateException.class);
    assertThat(timers.pending()).isEqualTo(1);
  }

  @Test
  void timers_that_refuse_the_next_sweep_are_logged_and_a_request_still_sweeps() {
    Timers closing = new Timers() {
      @Override
      public Timer schedule(Duration delay, Runnable action) {
        if (sweeps.isEmpty()) {
          return timers.schedule(delay, action);
        }
        throw new RejectedExecutionException("timers are closed");
      }

      @Override
      public Duration elapsed() {
        return timers.elapsed();
      }
    };
    SweepLoop refused = new SweepLoop(closing, "refused", this::sweep, IDLE);
    refused.start();
    timers.advance(TURN);

    assertThat(logOf(() -> end(false))).contains("ERROR", "refused loop", "timers are closed");

    refused.wake();
    assertThat(sweeps).hasSize(2);
    Future<Void> stopped = refused.stop();
    end(false);
    assertThat(stopped.succeeded()).isTrue();
  }

  @Test
  void a_long_backlog_needs_no_deep_stack_on_a_real_event_loop() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      Promise<Integer> done = Promise.promise();
      vertx.runOnContext(start -> {
        int[] count = {0};
        SweepLoop backlog = new SweepLoop(
            Timers.of(vertx),
            "backlog",
            () -> {
              if (++count[0] == 500) {
                done.complete(Thread.currentThread().getStackTrace().length);
              }
              return Future.succeededFuture(count[0] < 500);
            },
            IDLE);
        backlog.start();
      });
      assertThat(done.future().await(30, SECONDS)).isLessThan(100);
    } finally {
      vertx.close().await(30, SECONDS);
    }
  }

  private Future<Boolean> sweep() {
    assertThat(sweeps).allMatch(sweep -> sweep.future().isComplete());
    Promise<Boolean> sweep = Promise.promise();
    sweeps.add(sweep);
    return sweep.future();
  }

  private void begin() {
    loop.start();
    timers.advance(TURN);
  }

  private void end(Boolean moreWaiting) {
    sweeps.get(sweeps.size() - 1).complete(moreWaiting);
  }

  private static String logOf(Runnable action) {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      action.run();
    } finally {
      System.setErr(before);
    }
    return log.toString(StandardCharsets.UTF_8);
  }
}
