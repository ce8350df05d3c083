package dev.runlane.transport.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What is known of topics that are not there, and how often it is asked for. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MissingTopicsTest {
  private static final UnknownTopicOrPartitionException UNKNOWN =
      new UnknownTopicOrPartitionException("not there");
  private static final Duration REMEMBERED = Duration.ofSeconds(10);

  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-03-04T12:00:00Z")));
  private final Map<String, Throwable> gone = new HashMap<>();
  private @Nullable RuntimeException silence;
  private int looks;
  private final MissingTopics missing = new MissingTopics(timers, () -> {
    looks++;
    if (silence != null) {
      throw silence;
    }
    return gone;
  });

  @Test
  void nothing_is_asked_while_no_topic_is_missing() {
    missing.learn("mail", new TimeoutException("nobody answered"));

    assertThat(missing.failureOf("mail")).isNull();
    assertThat(looks).isZero();
  }

  @Test
  void the_first_topic_that_is_not_found_tells_of_all_others() {
    gone.put("mail", UNKNOWN);
    gone.put("payments", UNKNOWN);

    missing.learn("mail", UNKNOWN);

    assertThat(missing.failureOf("mail")).isSameAs(UNKNOWN);
    assertThat(missing.failureOf("payments")).isSameAs(UNKNOWN);
    assertThat(missing.failureOf("invoices")).isNull();
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void brokers_are_asked_again_after_ten_seconds_and_no_sooner() {
    gone.put("mail", UNKNOWN);
    missing.learn("mail", UNKNOWN);
    gone.clear();

    timers.advance(REMEMBERED.minusMillis(1));
    assertThat(missing.failureOf("mail")).isSameAs(UNKNOWN);
    timers.advance(Duration.ofMillis(1));

    assertThat(missing.failureOf("mail")).isNull();
    assertThat(looks).isEqualTo(2);
  }

  @Test
  void a_topic_that_brokers_know_and_the_producer_did_not_find_rests_all_the_same() {
    missing.learn("mail", UNKNOWN);

    assertThat(missing.failureOf("mail")).isSameAs(UNKNOWN);
    timers.advance(REMEMBERED);
    assertThat(missing.failureOf("mail")).isNull();
  }

  @Test
  void what_is_known_stays_for_as_long_again_when_nobody_answers() {
    gone.put("mail", UNKNOWN);
    missing.learn("mail", UNKNOWN);
    silence = new TimeoutException("nobody answered");
    timers.advance(REMEMBERED);

    assertThat(missing.failureOf("mail")).isSameAs(UNKNOWN);
    assertThat(missing.failureOf("mail")).isSameAs(UNKNOWN);

    assertThat(looks).as("one for all that ask meanwhile").isEqualTo(2);
  }

  @Test
  void a_topic_is_found_where_brokers_answer_and_know_it() {
    gone.put("mail", UNKNOWN);

    assertThat(missing.isFound("mail")).isFalse();
    assertThat(missing.isFound("payments")).isTrue();
    silence = new TimeoutException("nobody answered");
    assertThat(missing.isFound("payments")).isFalse();
  }

  @Test
  void an_answer_that_does_not_come_is_waited_for_no_longer_than_said() {
    KafkaFuture<TopicDescription> never = new KafkaFutureImpl<>();

    assertThatThrownBy(() -> MissingTopics.missing(Map.of("mail", never), Duration.ofMillis(1)))
        .isInstanceOf(java.util.concurrent.TimeoutException.class);
  }
}
