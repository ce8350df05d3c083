package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.assertFails;
import static dev.runlane.transport.kafka.Awaiting.done;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What is said of wakeups of several topics, of which not all can be reached. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PublishOutcomesTest {
  private static final TimeoutException NOT_IN_TIME = new TimeoutException("no leader");
  private static final TimeoutException UNKNOWN =
      new TimeoutException("no topic", new UnknownTopicOrPartitionException("no such topic"));

  private final Vertx vertx = Vertx.vertx();
  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-03-04T12:00:00Z")));
  private final Map<String, RuntimeException> failing = new ConcurrentHashMap<>(); // by topic
  private final WakeupPublisher publisher = new WakeupPublisher(
      vertx,
      vertx.createSharedWorkerExecutor("sender", 1),
      new ReplaceableProducer(Scripted::new),
      new KafkaTransportOptions()
          .addQueue(new KafkaQueue(QueuePolicy.unbounded("mail"), "mail"))
          .addQueue(new KafkaQueue(QueuePolicy.unbounded("letters"), "letters")),
      new MissingTopics(timers, () -> Map.of("letters", UNKNOWN)),
      timers);

  @AfterEach
  void close() {
    done(publisher.close());
    done(vertx.close());
  }

  @Test
  void a_wakeup_that_nobody_takes_in_time_fails_alone_where_another_was_taken() {
    failing.put("letters", NOT_IN_TIME);

    assertThat(done(publish("mail", "letters")))
        .extracting(WakeupPublishOutcome::isPublished)
        .containsExactly(true, false);
    failing.put("mail", NOT_IN_TIME);
    timers.advance(Duration.ofSeconds(1));
    assertFails(ErrorCode.TRANSPORT_UNAVAILABLE, publish("mail", "letters"));
  }

  @Test
  void a_wait_has_one_name_whoever_ended_it() {
    String ours = done(Future.future(never -> {})
        .timeout(1, MILLISECONDS)
        .map(answer -> "no failure")
        .recover(late -> Future.succeededFuture(KafkaFailures.code(late))));

    assertThat(ours).isEqualTo(KafkaFailures.code(NOT_IN_TIME));
  }

  @Test
  void a_command_of_missing_topics_alone_leaves_the_trial_after_an_outage_to_the_next() {
    failing.put("letters", UNKNOWN);
    assertThat(done(publish("letters"))).noneMatch(WakeupPublishOutcome::isPublished);
    failing.put("mail", NOT_IN_TIME);
    assertFails(ErrorCode.TRANSPORT_UNAVAILABLE, publish("mail"));
    failing.remove("mail");
    timers.advance(Duration.ofSeconds(1));

    assertThat(done(publish("letters"))).noneMatch(WakeupPublishOutcome::isPublished);

    assertThat(done(publish("mail"))).allMatch(WakeupPublishOutcome::isPublished);
  }

  private Future<List<WakeupPublishOutcome>> publish(String... queues) {
    return publisher.publish(new PublishWakeups(Stream.of(queues)
        .map(queue -> new PublishWakeups.Attempt(
            "msg_" + queue,
            "tok_1",
            new DeliveryMessage(
                new Environment("production"), "run_" + queue, queue, Instant.EPOCH, Map.of()),
            null))
        .toList()));
  }

  /** Takes what it gets, but for topics that fail. */
  private final class Scripted extends MockProducer<byte[], byte[]> {
    private Scripted() {
      super(true, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public java.util.concurrent.Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      RuntimeException failure = failing.get(record.topic());
      if (failure == null) {
        return super.send(record, callback);
      }
      callback.onCompletion(null, failure);
      return CompletableFuture.failedFuture(failure);
    }
  }
}
