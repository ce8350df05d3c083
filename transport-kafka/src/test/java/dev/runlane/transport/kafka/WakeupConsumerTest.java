package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.QueuePolicy;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import dev.runlane.transport.DeliveryResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.consumer.KafkaReadStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What a consumer does in its own turns, without a broker. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WakeupConsumerTest {
  private static final TopicPartition PARTITION = new TopicPartition("mail", 0);

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
  private final MockConsumer<byte[], byte[]> kafka =
      new MockConsumer<>(OffsetResetStrategy.EARLIEST);
  private final ScriptedWorker worker = new ScriptedWorker();
  private final ConcurrentMap<TopicPartition, Long> settled = new ConcurrentHashMap<>();
  private final AtomicInteger turns = new AtomicInteger();
  private final AtomicInteger lagsRead = new AtomicInteger();
  private final Map<TopicPartition, Long> unread = new HashMap<>() {
    @Override
    public Long get(Object partition) {
      lagsRead.incrementAndGet();
      return super.get(partition);
    }
  };

  @AfterEach
  void close() {
    done(vertx.close());
  }

  @Test
  void answers_that_come_together_are_taken_in_one_turn() {
    List<Promise<DeliveryResult>> open = new ArrayList<>();
    worker.answering(message -> {
      open.add(Promise.promise());
      return open.get(open.size() - 1).future();
    });
    WakeupConsumer consumer = consumer();
    add(50);
    done(onContext(consumer::pollOnce));

    done(onContext(() -> {
      open.forEach(each -> each.complete(ScriptedWorker.DONE));
      return Future.succeededFuture();
    }));
    done(onContext(Future::succeededFuture)); // behind the turn in which they are taken

    assertThat(turns).hasValue(1);
    assertThat(settled).containsEntry(PARTITION, 50L);
  }

  @Test
  void what_is_left_is_told_twice_a_second_however_often_it_polls() {
    WakeupConsumer consumer = consumer();
    add(1);

    for (int poll = 0; poll < 10; poll++) {
      done(onContext(consumer::pollOnce));
    }
    assertThat(lagsRead).hasValue(1);
    timers.advance(Duration.ofMillis(500));
    done(onContext(consumer::pollOnce));

    assertThat(lagsRead).hasValue(2);
  }

  private WakeupConsumer consumer() {
    KafkaTransport transport = KafkaTransport.create(
        vertx,
        new KafkaTransportOptions()
            .addQueue(new KafkaQueue(QueuePolicy.unbounded("mail"), PARTITION.topic())));
    return done(onContext(() -> {
      KafkaReadStream<byte[], byte[]> stream = KafkaReadStream.create(vertx, kafka);
      return stream
          .assign(Set.of(PARTITION))
          .map(assigned -> new WakeupConsumer(
              new WakeupConsumer.Parts(
                  worker,
                  new KafkaConsumerOptions(),
                  new DeadLetters(transport),
                  transport.counters(),
                  timers,
                  Randomness.seeded(7)),
              stream,
              settled,
              unread,
              action -> {
                turns.incrementAndGet();
                context.runOnContext(turn -> action.run());
              }));
    }));
  }

  private void add(int wakeups) {
    kafka.updateBeginningOffsets(Map.of(PARTITION, 0L));
    for (int number = 0; number < wakeups; number++) {
      String wakeup = "{\"v\":1,\"environment\":\"test\",\"runId\":\"" + number
          + "\",\"queue\":\"mail\",\"requestedAt\":\"2026-01-01T00:00:00Z\"}";
      kafka.addRecord(new ConsumerRecord<>(
          PARTITION.topic(),
          PARTITION.partition(),
          number,
          null,
          wakeup.getBytes(StandardCharsets.UTF_8)));
    }
  }

  private <T> Future<T> onContext(Supplier<Future<T>> call) {
    Promise<T> answer = Promise.promise();
    context.runOnContext(turn -> call.get().onComplete(answer));
    return answer.future();
  }
}
