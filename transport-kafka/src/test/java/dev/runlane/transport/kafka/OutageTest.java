package dev.runlane.transport.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Who may try to reach Kafka after it could not be reached. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class OutageTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-03-04T12:00:00Z")));
  private final Outage outage = new Outage(timers);

  @Test
  void everybody_may_while_there_is_none() {
    assertThat(outage.mayTry()).isTrue();
    assertThat(outage.mayTry()).isTrue();
  }

  @Test
  void nobody_may_for_a_second_and_then_one() {
    outage.found(timers.elapsed());

    timers.advance(SECOND.minusMillis(1));
    assertThat(outage.mayTry()).isFalse();
    timers.advance(Duration.ofMillis(1));

    assertThat(outage.mayTry()).isTrue();
    assertThat(outage.mayTry()).as("another, meanwhile").isFalse();
  }

  @Test
  void the_one_that_tried_in_vain_begins_another_second() {
    outage.found(timers.elapsed());
    timers.advance(SECOND);
    assertThat(outage.mayTry()).isTrue();

    outage.found(timers.elapsed());

    assertThat(outage.mayTry()).isFalse();
    timers.advance(SECOND);
    assertThat(outage.mayTry()).isTrue();
  }

  @Test
  void everybody_may_once_the_one_got_through() {
    outage.found(timers.elapsed());
    timers.advance(SECOND);
    assertThat(outage.mayTry()).isTrue();

    outage.ended();

    assertThat(outage.mayTry()).isTrue();
    assertThat(outage.mayTry()).isTrue();
  }

  @Test
  void a_record_that_ends_in_vain_long_after_others_were_taken_is_no_outage() {
    Duration handedOver = timers.elapsed();
    timers.advance(Duration.ofMillis(5));
    outage.ended();
    timers.advance(Duration.ofSeconds(10));

    outage.found(handedOver);

    assertThat(outage.mayTry()).isTrue();
    assertThat(outage.mayTry()).isTrue();
  }

  @Test
  void a_record_that_was_handed_over_after_the_last_answer_tells_of_an_outage() {
    outage.ended();
    timers.advance(Duration.ofMillis(5));
    Duration handedOver = timers.elapsed();
    timers.advance(Duration.ofSeconds(10));

    outage.found(handedOver);

    assertThat(outage.mayTry()).isFalse();
  }

  @Test
  void a_call_that_had_nothing_to_try_with_leaves_it_to_the_next() {
    outage.found(timers.elapsed());
    timers.advance(SECOND);
    assertThat(outage.mayTry()).isTrue();

    outage.notTried();

    assertThat(outage.mayTry()).isTrue();
    assertThat(outage.mayTry()).as("another, meanwhile").isFalse();
  }
}
