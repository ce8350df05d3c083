package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import dev.runlane.transport.DeliveryResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.consumer.KafkaReadStream;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What a consumer makes of partitions that are taken from it and come back, and of deliveries that end meanwhile. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RebalanceTest {
  private static final TopicPartition PARTITION = new TopicPartition("mail", 0);
  private static final TopicPartition OTHER = new TopicPartition("mail", 1);
  private static final RunlaneException OUTAGE =
      RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "no storage");
  private static final RunlaneException UNKNOWN_TASK =
      RunlaneException.of(ErrorCode.TASK_NOT_FOUND, "no task here");

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
  private final ScriptedStream stream = new ScriptedStream();
  private final List<Promise<DeliveryResult>> underWay = new ArrayList<>();
  private final ScriptedWorker worker = new ScriptedWorker().answering(message -> {
    underWay.add(Promise.promise());
    return underWay.get(underWay.size() - 1).future();
  });
  private final ConcurrentMap<TopicPartition, Long> settled = new ConcurrentHashMap<>();
  private final KafkaConsumerOptions options =
      new KafkaConsumerOptions().setBackoff(Backoff.fixed(Duration.ofSeconds(1)));
  private final KafkaTransport transport = KafkaTransport.create(
      vertx,
      new KafkaTransportOptions()
          .addQueue(new KafkaQueue(QueuePolicy.unbounded("mail"), PARTITION.topic())));

  @AfterEach
  void close() {
    done(vertx.close());
  }

  @Test
  void what_ends_after_its_partition_went_is_not_offered_for_a_commit() {
    WakeupConsumer consumer = started();
    fetch(consumer, 3);

    onContext(() -> stream.revoked.handle(Set.of(PARTITION)));
    answer(ScriptedWorker.DONE);

    assertThat(worker.deliveries()).hasSize(3);
    assertThat(settled).isEmpty();
  }

  @Test
  void a_partition_that_comes_back_is_committed_from_where_it_is_read_then() {
    WakeupConsumer consumer = started();
    fetch(consumer, 3);
    answer(ScriptedWorker.DONE);
    assertThat(settled).containsEntry(PARTITION, 3L);
    commit(consumer);

    onContext(() -> stream.revoked.handle(Set.of(PARTITION)));
    assertThat(settled).as("nothing that a later revocation might commit").isEmpty();
    onContext(() -> stream.assigned.handle(Set.of(PARTITION)));
    commit(consumer);
    fetch(consumer, 3);
    answer(ScriptedWorker.DONE);
    commit(consumer);

    assertThat(stream.commits).containsExactly(3L, 3L);
  }

  @Test
  void a_partition_that_comes_back_is_paused_again_while_enough_is_fetched() {
    options.setMaxInFlight(1).setMaxFetched(2);
    WakeupConsumer consumer = started();
    onContext(() -> stream.assigned.handle(Set.of(PARTITION, OTHER)));
    fetch(consumer, 4);
    fetch(consumer, 0);
    assertThat(stream.pauses).containsExactly(Set.of(PARTITION, OTHER));

    onContext(() -> stream.revoked.handle(Set.of(OTHER)));
    onContext(() -> stream.assigned.handle(Set.of(OTHER)));
    fetch(consumer, 0);

    assertThat(stream.pauses)
        .as("Kafka forgets the pause of what goes")
        .containsExactly(Set.of(PARTITION, OTHER), Set.of(OTHER));
  }

  @Test
  void what_fails_after_its_partition_went_is_no_failure_and_no_dead_letter() {
    options.setMaxAttempts(1).setMaxFutileAttempts(1);
    WakeupConsumer consumer = started();
    fetch(consumer, 2);

    onContext(() -> stream.revoked.handle(Set.of(PARTITION)));
    fail(UNKNOWN_TASK);

    KafkaDeliveryCounts counts = transport.deliveryCounts();
    assertThat(counts.failed()).isZero();
    assertThat(counts.deadLettersRefused()).isZero();
  }

  @Test
  void what_was_held_back_of_a_partition_that_went_counts_as_let_go() {
    options.setMaxInFlight(1);
    WakeupConsumer consumer = started();
    fetch(consumer, 3);
    fail(UNKNOWN_TASK); // rests, and holds the others back

    onContext(() -> stream.revoked.handle(Set.of(PARTITION)));

    assertThat(transport.deliveryCounts().revoked()).isEqualTo(2);
  }

  @Test
  void what_nobody_has_tried_uses_no_attempt() {
    options.setMaxAttempts(2).setMaxFutileAttempts(2);
    WakeupConsumer consumer = started();
    fetch(consumer, 1);

    for (int again = 0; again < 3; again++) {
      fail(RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "the worker stops"));
      onContext(() -> timers.advance(Duration.ofMinutes(1)));
    }
    fail(OUTAGE);
    onContext(() -> timers.advance(Duration.ofMinutes(1)));

    assertThat(worker.deliveries()).hasSize(5);
    assertThat(transport.deliveryCounts().deadLettersRefused()).isZero();
  }

  @Test
  void a_dead_letter_on_its_way_is_one_of_those_under_way() {
    options.setMaxInFlight(2).setMaxFutileAttempts(1);
    WakeupConsumer consumer = started();
    fetch(consumer, 9);
    assertThat(underWay).hasSize(2);

    end(1, promise -> promise.fail(UNKNOWN_TASK));

    assertThat(transport.deliveryCounts().deadLettersRefused())
        .as("by a transport that is not started")
        .isEqualTo(1);
    assertThat(worker.deliveries()).hasSize(3);
    assertThat(worker.mostAtOnce()).isEqualTo(2);
  }

  private WakeupConsumer started() {
    return onContext(() -> {
      WakeupConsumer consumer = new WakeupConsumer(
          new WakeupConsumer.Parts(
              worker,
              options,
              new DeadLetters(transport),
              transport.counters(),
              timers,
              Randomness.seeded(7)),
          stream.proxy(),
          settled,
          Map.of(),
          action -> context.runOnContext(turn -> action.run()));
      consumer.start(Set.of(PARTITION.topic()));
      return consumer;
    });
  }

  /** Has a poll answer so many records, from the first on. */
  private void fetch(WakeupConsumer consumer, int records) {
    stream.next = IntStream.range(0, records).mapToObj(RebalanceTest::record).toList();
    done(turn(consumer::pollOnce));
  }

  private void commit(WakeupConsumer consumer) {
    onContext(() -> timers.advance(options.getCommitInterval()));
    fetch(consumer, 0);
  }

  private void answer(DeliveryResult result) {
    end(underWay.size(), promise -> promise.complete(result));
  }

  private void fail(RunlaneException failure) {
    end(underWay.size(), promise -> promise.fail(failure));
  }

  /** Ends the first of what is under way, and waits for the turns in which that is dealt with. */
  private void end(int count, Handler<Promise<DeliveryResult>> how) {
    onContext(() -> {
      List<Promise<DeliveryResult>> first = underWay.subList(0, count);
      List<Promise<DeliveryResult>> ended = List.copyOf(first);
      first.clear();
      ended.forEach(how::handle);
    });
    for (int each = 0; each < 3; each++) {
      onContext(() -> {});
    }
  }

  private void onContext(Runnable action) {
    onContext(() -> {
      action.run();
      return true;
    });
  }

  private <T> T onContext(Supplier<T> call) {
    return done(turn(() -> Future.succeededFuture(call.get())));
  }

  private <T> Future<T> turn(Supplier<Future<T>> call) {
    Promise<T> answer = Promise.promise();
    context.runOnContext(
        turn -> Future.<Void>succeededFuture().compose(start -> call.get()).onComplete(answer));
    return answer.future();
  }

  private static ConsumerRecord<byte[], byte[]> record(int offset) {
    String wakeup = "{\"v\":1,\"environment\":\"test\",\"runId\":\"" + offset
        + "\",\"queue\":\"mail\",\"requestedAt\":\"2026-01-01T00:00:00Z\"}";
    return new ConsumerRecord<>(
        PARTITION.topic(),
        PARTITION.partition(),
        offset,
        null,
        wakeup.getBytes(StandardCharsets.UTF_8));
  }

  /** What a consumer uses of its stream; the group is what the test says. */
  private static final class ScriptedStream {
    private final List<Long> commits = new ArrayList<>();
    private final List<Object> pauses = new ArrayList<>();
    private List<ConsumerRecord<byte[], byte[]>> next = List.of();
    private Handler<Set<TopicPartition>> assigned = none -> {};
    private Handler<Set<TopicPartition>> revoked = none -> {};

    @SuppressWarnings("unchecked")
    KafkaReadStream<byte[], byte[]> proxy() {
      return (KafkaReadStream<byte[], byte[]>) Proxy.newProxyInstance(
          RebalanceTest.class.getClassLoader(), new Class<?>[] {KafkaReadStream.class}, this::call);
    }

    @SuppressWarnings("unchecked")
    private Object call(Object self, Method method, Object[] given) {
      switch (method.getName()) {
        case "partitionsAssignedHandler" -> {
          assigned = (Handler<Set<TopicPartition>>) given[0];
          return self;
        }
        case "partitionsRevokedHandler" -> {
          revoked = (Handler<Set<TopicPartition>>) given[0];
          return self;
        }
        case "subscribe" -> {
          return Promise.promise().future(); // the test polls
        }
        case "poll" -> {
          return Future.succeededFuture(new ConsumerRecords<>(Map.of(PARTITION, next)));
        }
        case "commit" -> {
          ((Map<TopicPartition, OffsetAndMetadata>) given[0])
              .values()
              .forEach(each -> commits.add(each.offset()));
          return Future.succeededFuture(given[0]);
        }
        case "pause" -> pauses.add(given[0]);
        case "resume" -> {}
        default -> throw new UnsupportedOperationException(method.getName());
      }
      return Future.succeededFuture();
    }
  }
}
