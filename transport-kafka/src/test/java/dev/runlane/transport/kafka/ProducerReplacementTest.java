package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.assertFails;
import static dev.runlane.transport.kafka.Awaiting.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Which producers are replaced, and when. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ProducerReplacementTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DOUBTED_EVERY = Duration.ofSeconds(10);

  private final Vertx vertx = Vertx.vertx();
  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-03-04T12:00:00Z")));
  private final List<Scripted> producers = new CopyOnWriteArrayList<>();
  private volatile boolean away;
  private volatile @Nullable RuntimeException broken; // what producers are made with
  private final KafkaTransportOptions options = new KafkaTransportOptions()
      .addQueue(new KafkaQueue(QueuePolicy.unbounded("mail"), "mail"))
      .setPublishTimeout(Duration.ofSeconds(3));
  private final WakeupPublisher publisher = new WakeupPublisher(
      vertx,
      vertx.createSharedWorkerExecutor("sender", 1),
      new ReplaceableProducer(this::producer),
      options,
      new MissingTopics(timers, this::look),
      timers);

  @AfterEach
  void close() {
    done(publisher.close());
    done(vertx.close());
  }

  @Test
  void one_that_does_not_find_a_topic_that_brokers_know_is_replaced_once_that_is_sure() {
    producers.get(0).failing = new TimeoutException("Topic mail not present in metadata");

    publishInVain();
    timers.advance(DOUBTED_EVERY);
    assertThat(producers).hasSize(1);
    publishInVain();
    timers.advance(DOUBTED_EVERY);

    assertThat(done(publish())).allMatch(WakeupPublishOutcome::isPublished);
    assertThat(producers).hasSize(2);
  }

  @Test
  void one_that_finds_no_broker_stays_while_nobody_answers_others_either() {
    producers.get(0).failing = new TimeoutException("Topic mail not present in metadata");
    away = true;
    for (int attempt = 0; attempt < 5; attempt++) {
      publishInVain();
      timers.advance(DOUBTED_EVERY);
    }
    publishInVain(); // doubts nothing so soon: the look of the one before has ended
    away = false;
    publishInVain(); // as the outage ends
    timers.advance(DOUBTED_EVERY);
    producers.get(0).failing = null;

    assertThat(done(publish())).allMatch(WakeupPublishOutcome::isPublished);
    assertThat(producers).hasSize(1);
  }

  @Test
  void one_that_was_in_doubt_and_has_published_since_is_in_doubt_anew() {
    for (int outage = 0; outage < 3; outage++) {
      producers.get(0).failing = new TimeoutException("Topic mail not present in metadata");
      publishInVain();
      timers.advance(DOUBTED_EVERY);
      producers.get(0).failing = null;
      assertThat(done(publish())).allMatch(WakeupPublishOutcome::isPublished);
    }

    assertThat(producers).hasSize(1);
  }

  @Test
  void one_that_refuses_all_records_is_replaced_every_ten_seconds_at_most() {
    broken = new KafkaException("we are in an error state", new AuthenticationException("no"));
    producers.get(0).throwing = broken;

    for (int second = 0; second < 15; second++) {
      publishInVain();
      untilClosed(); // while one that was given up is being closed, the next is kept
      timers.advance(SECOND);
    }
    assertThat(producers).hasSize(3);
    broken = null;
    timers.advance(DOUBTED_EVERY);
    publishInVain();
    untilClosed();
    timers.advance(SECOND);

    assertThat(done(publish())).allMatch(WakeupPublishOutcome::isPublished);
    assertThat(producers).hasSize(4);
  }

  @Test
  void one_that_left_a_record_unanswered_is_replaced() {
    producers.get(0).silent = true;

    Future<List<WakeupPublishOutcome>> unanswered = publish();
    timeout();
    timeout();

    assertFails(ErrorCode.TRANSPORT_UNAVAILABLE, unanswered);
    timers.advance(SECOND);
    assertThat(done(publish())).allMatch(WakeupPublishOutcome::isPublished);
    assertThat(producers).hasSize(2);
  }

  @Test
  void one_that_was_frozen_together_with_its_process_has_a_moment_to_answer() {
    producers.get(0).silent = true;

    Future<List<WakeupPublishOutcome>> late = publish();
    timeout();
    producers.get(0).completeNext();

    assertThat(done(late)).allMatch(WakeupPublishOutcome::isPublished);
    producers.get(0).silent = false;
    assertThat(done(publish())).allMatch(WakeupPublishOutcome::isPublished);
    assertThat(producers).hasSize(1);
  }

  /** Lets the timer of an answer that is waited for run, once it is set. */
  private void timeout() {
    Awaiting.until(vertx, "an answer is waited for", () -> timers.pending() > 0);
    timers.advance(timers.untilNext().orElseThrow());
  }

  private void untilClosed() {
    Awaiting.until(
        vertx, "nothing is being closed", () -> Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().equals(ReplaceableProducer.CLOSING)));
  }

  private void publishInVain() {
    assertFails(ErrorCode.TRANSPORT_UNAVAILABLE, publish());
  }

  private Future<List<WakeupPublishOutcome>> publish() {
    return publisher.publish(new PublishWakeups(List.of(new PublishWakeups.Attempt(
        "msg_1",
        "tok_1",
        new DeliveryMessage(
            new Environment("production"), "run_1", "mail", Instant.EPOCH, Map.of()),
        null))));
  }

  private Producer<byte[], byte[]> producer() {
    Scripted made = new Scripted();
    made.throwing = broken;
    producers.add(made);
    return made;
  }

  /** Every topic is there. */
  private Map<String, Throwable> look() {
    if (away) {
      throw new TimeoutException("nobody answered");
    }
    return Map.of();
  }

  /** Takes what it gets, unless it is told otherwise. */
  private static final class Scripted extends MockProducer<byte[], byte[]> {
    private volatile @Nullable RuntimeException throwing;
    private volatile @Nullable RuntimeException failing;
    private volatile boolean silent;

    private Scripted() {
      super(false, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public java.util.concurrent.Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      RuntimeException refused = throwing;
      if (refused != null) {
        throw refused;
      }
      RuntimeException failure = failing;
      if (failure != null) {
        callback.onCompletion(null, failure);
        return CompletableFuture.failedFuture(failure);
      }
      java.util.concurrent.Future<RecordMetadata> taken = super.send(record, callback);
      if (!silent) {
        completeNext();
      }
      return taken;
    }
  }
}
