package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.IgnoredReason;
import dev.runlane.transport.PartitionLag;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Consumers on a real broker. */
@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class KafkaConsumerTest {
  private static final RunlaneException OUTAGE =
      RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "no storage");

  private static final RunlaneException UNKNOWN_TASK =
      RunlaneException.of(ErrorCode.TASK_NOT_FOUND, "no task here");

  private static final int MOST_ATTEMPTS = 1_000_000; // so many take longer than any test

  private static final int MOST_BYTES = 1_048_576; // of a record with all that belongs to it

  private final ConsumerScene scene = new ConsumerScene(Brokers.shared());
  private final ScriptedWorker worker = new ScriptedWorker();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void wakeups_published_before_and_after_it_joined_are_delivered_and_committed() {
    scene.publish(ConsumerScene.runs("before", 30));
    KafkaTransport transport = scene.transport(scene.options());

    scene.join(transport, worker, 1);
    scene.publish(ConsumerScene.runs("after", 30));

    scene.untilNoLag();
    assertThat(worker.runIds())
        .containsExactlyInAnyOrderElementsOf(
            both(ConsumerScene.runs("before", 30), ConsumerScene.runs("after", 30)));
    assertThat(transport.deliveryCounts().received()).isEqualTo(60);
  }

  @Test
  void the_worker_of_a_consumer_that_cannot_start_is_stopped() {
    KafkaTransport transport = scene.transport(
        scene.options(), new KafkaQueue(QueuePolicy.unbounded("letters"), scene.topic));

    Future<String> deployed =
        scene.vertx.deployVerticle(new KafkaConsumerVerticle(transport, worker));

    assertThat(
            deployed.transform(ended -> Future.succeededFuture(ended.cause())).await())
        .hasMessageContaining("is bound to a topic");
    assertThat(worker.isStopped()).isTrue();
  }

  @Test
  void results_are_counted_by_their_reason() {
    IgnoredReason[] reasons = IgnoredReason.values();
    worker.answering(message -> Future.succeededFuture(
        new DeliveryResult.Ignored(reasons[Integer.parseInt(message.runId()) % reasons.length])));
    KafkaTransport transport = scene.transport(scene.options());
    scene.join(transport, worker, 1);

    scene.publish(ConsumerScene.runs("", 2 * reasons.length));
    scene.untilNoLag();

    KafkaDeliveryCounts counts = transport.deliveryCounts();
    for (IgnoredReason reason : reasons) {
      assertThat(counts.ignored().get(reason)).as(reason.value()).isEqualTo(2);
    }
    assertThat(counts.ignoredTotal()).isEqualTo(2L * reasons.length);
    assertThat(counts.executed()).isZero();
  }

  @Test
  void nothing_is_committed_past_a_delivery_under_way_whatever_ends_before_it() {
    Promise<DeliveryResult> first = Promise.promise();
    worker.answering(message ->
        message.runId().equals("0") ? first.future() : Future.succeededFuture(ScriptedWorker.DONE));
    scene.topics.write(scene.topic, 2, wakeups(50));
    scene.join(scene.transport(scene.options().setMaxAttempts(MOST_ATTEMPTS)), worker, 1);

    scene.until("the others are done", () -> worker.deliveries().size() == 50);
    scene.topics.write(
        scene.topic, 1, wakeups(1)); // its commit comes after any that could be wrong
    first.tryFail(OUTAGE);
    scene.until("it was tried again", () -> worker.deliveries().size() > 52);

    assertThat(scene.committed(2)).isZero();
    worker.answering(message -> Future.succeededFuture(ScriptedWorker.DONE));
    scene.untilNoLag();
  }

  @Test
  void the_lag_of_a_partition_is_what_is_not_settled_of_it_and_nobodys_where_no_consumer_is() {
    Promise<DeliveryResult> held = Promise.promise();
    worker.answering(message -> held.future());
    KafkaTransport transport = scene.transport(scene.options().setMaxInFlight(5));
    scene.topics.write(scene.topic, 2, wakeups(40));
    String consumer = scene.join(transport, worker, 1);

    scene.until("all 40 are said to be left", () -> lag(transport, 2) == 40);
    assertThat(transport.lags())
        .allSatisfy(each -> assertThat(each.topic()).isEqualTo(scene.topic))
        .allSatisfy(each -> assertThat(each.group()).isEqualTo(scene.options().getGroupId()))
        .filteredOn(each -> each.partition() == 2)
        .extracting(PartitionLag::records)
        .containsExactly(40L);
    held.complete(ScriptedWorker.DONE);
    scene.until("none is said to be left", () -> lag(transport, 2) == 0);

    assertThat(transport.partitionCounts()).isNotEmpty().allSatisfy(each -> assertThat(each.topic())
        .isEqualTo(scene.topic));
    done(scene.vertx.undeploy(consumer));
    assertThat(transport.partitionCounts())
        .allSatisfy(each -> assertThat(each.lag()).isEmpty());
    assertThat(transport.lags()).isEmpty();
  }

  @Test
  void the_lag_of_a_partition_grows_while_a_saturated_consumer_fetches_nothing_of_it() {
    Promise<DeliveryResult> held = Promise.promise();
    worker.answering(message -> held.future());
    KafkaTransport transport = scene.transport(scene.options().setMaxInFlight(1).setMaxFetched(1));
    scene.topics.write(scene.topic, 2, wakeups(10));
    scene.join(transport, worker, 1);
    scene.until("all 10 are said to be left", () -> lag(transport, 2) == 10);

    scene.topics.write(scene.topic, 2, wakeups(30));

    scene.until("all 40 are said to be left", () -> lag(transport, 2) == 40);
    held.complete(ScriptedWorker.DONE);
    scene.untilNoLag();
  }

  private static long lag(KafkaTransport transport, int partition) {
    return transport.partitionCounts().stream()
        .filter(each -> each.partition() == partition)
        .findFirst()
        .map(each -> each.lag().orElse(-1))
        .orElse(-1L);
  }

  @Test
  void a_topic_that_was_made_again_is_read_from_its_beginning() {
    scene.topics.write(scene.topic, 2, wakeups(50));
    scene.join(scene.transport(scene.options()), worker, 1);
    scene.untilNoLag();
    int partitions = scene.topics.partitions(scene.topic);
    Optional<Uuid> before = scene.topics.id(scene.topic);

    scene.topics.delete(scene.topic);
    scene.topics.create(scene.topic, partitions);
    scene.until(
        "the broker has the new one",
        () -> { // else the old one may take the records
          Optional<Uuid> now = scene.topics.id(scene.topic);
          return now.isPresent() && !now.equals(before);
        });
    scene.topics.write(scene.topic, 2, wakeups(5));

    scene.until("the new records are done", () -> worker.deliveries().size() >= 55);
    scene.until("they are committed", () -> scene.committed(2) == 5);
  }

  @Test
  void what_is_no_wakeup_is_a_dead_letter_at_once_and_holds_nothing_up() {
    KafkaTransport transport = scene.transport(scene.options());
    List<byte[]> values = List.of(
        "no wakeup".getBytes(StandardCharsets.UTF_8),
        new String(wakeup(1), StandardCharsets.UTF_8)
            .replace("\"v\":1", "\"v\":9")
            .getBytes(StandardCharsets.UTF_8),
        wakeup(7));
    scene.topics.write(scene.topic, 3, values);

    scene.join(transport, worker, 1);
    scene.untilNoLag();

    assertThat(worker.runIds()).containsExactly("7");
    List<ConsumerRecord<String, byte[]>> letters = deadLetters();
    assertThat(letters)
        .extracting(ConsumerRecord::value)
        .containsExactlyElementsOf(values.subList(0, 2));
    assertThat(headers(letters.get(1)))
        .containsEntry(DeadLetters.REASON, "unreadable")
        .containsEntry(DeadLetters.ATTEMPTS, "0")
        .containsEntry(DeadLetters.TOPIC, scene.topic)
        .containsEntry(DeadLetters.PARTITION, "3")
        .containsEntry(DeadLetters.OFFSET, "1")
        .containsKey(DeadLetters.DETAIL);
    assertThat(transport.deliveryCounts().deadLettered()).isEqualTo(2);
    assertThat(transport.partitionCounts())
        .filteredOn(each -> each.deadLettered() > 0)
        .extracting(each -> each.partition() + " " + each.deadLettered())
        .containsExactly("3 2");
  }

  @Test
  void a_dead_letter_has_the_key_of_its_record_byte_by_byte_and_its_headers() {
    byte[] key = {(byte) 0xff, 0, (byte) 0x80};
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(scene.topic, 0, key, new byte[] {1});
    record.headers().add("traceparent", key);
    scene.topics.write(record);

    scene.join(scene.transport(scene.options()), worker, 1);
    scene.untilNoLag();

    assertThat(scene.topics.rawRecords(scene.topic + ".dead-letter"))
        .singleElement()
        .satisfies(letter -> {
          assertThat(letter.key()).isEqualTo(key);
          assertThat(letter.headers().lastHeader("traceparent").value()).isEqualTo(key);
        });
  }

  @Test
  void a_delivery_that_keeps_failing_is_tried_with_pauses_and_then_a_dead_letter() {
    worker.answering(message -> message.runId().equals("bad")
        ? Future.failedFuture(OUTAGE)
        : Future.succeededFuture(ScriptedWorker.DONE));
    KafkaTransport transport = scene.transport(scene.options().setMaxAttempts(4));
    scene.join(transport, worker, 1);

    scene.publish("bad", "good1", "good2");
    scene.untilNoLag();

    assertThat(worker.runIds().stream().filter("bad"::equals)).hasSize(4);
    assertThat(deadLetters()).singleElement().satisfies(letter -> assertThat(headers(letter))
        .containsEntry(DeadLetters.REASON, "storage_unavailable")
        .containsEntry(DeadLetters.ATTEMPTS, "4"));
    assertThat(transport.deliveryCounts().failed()).isEqualTo(4);
  }

  @Test
  void a_failure_that_does_not_go_away_is_given_up_sooner() {
    worker.answering(message -> answer(true, UNKNOWN_TASK));
    scene.join(
        scene.transport(scene.options().setMaxAttempts(50).setMaxFutileAttempts(2)), worker, 1);

    scene.publish("unknown");
    scene.untilNoLag();

    assertThat(worker.deliveries()).hasSize(2);
    assertThat(headers(deadLetters().get(0))).containsEntry(DeadLetters.REASON, "task_not_found");
  }

  @Test
  void what_a_worker_throws_or_answers_with_null_is_a_failed_delivery() {
    worker.answering(message -> {
      if (worker.deliveries().size() == 1) {
        throw new IllegalStateException("broken");
      }
      return worker.deliveries().size() == 2
          ? Future.failedFuture(new IllegalStateException("not ours"))
          : Future.succeededFuture(ScriptedWorker.DONE);
    });
    scene.join(scene.transport(scene.options()), worker, 1);

    scene.publish("run");
    scene.untilNoLag();

    assertThat(worker.deliveries()).hasSize(3);
  }

  @Test
  void a_record_stays_uncommitted_until_its_dead_letter_is_written() {
    KafkaTransport transport = scene.impatient(scene.options());
    scene.topics.delete(scene.topic + ".dead-letter");
    scene.until("the topic is gone", () -> scene.topics.isGone(scene.topic + ".dead-letter"));
    scene.topics.write(scene.topic, 0, List.of(new byte[] {1}, wakeup(1)));

    scene.join(transport, worker, 1);
    scene.until(
        "the dead letter was refused",
        () -> transport.deliveryCounts().deadLettersRefused() > 0
            && worker.runIds().size() == 1);
    assertThat(scene.committed(0)).isZero();
    scene.topics.create(scene.topic + ".dead-letter", 1);

    scene.untilNoLag();
    assertThat(deadLetters()).hasSize(1);
  }

  @Test
  void a_dead_letter_does_not_wait_for_what_a_handler_blocks_for() {
    CountDownLatch released = new CountDownLatch(1);
    worker.answering(message -> Vertx.currentContext().executeBlocking(() -> {
      assertThat(released.await(60, TimeUnit.SECONDS)).isTrue();
      return ScriptedWorker.DONE;
    }));
    scene.topics.write(scene.topic, 0, List.of(wakeup(1)));
    scene.join(scene.transport(scene.options()), worker, 1);
    scene.until("its handler blocks", () -> worker.runIds().size() == 1);

    scene.topics.write(scene.topic, 1, List.of(new byte[] {1}));
    scene.until("the dead letter is there", () -> deadLetters().size() == 1);

    assertThat(worker.underWay()).as("handlers that block still").isEqualTo(1);
    assertThat(worker.runIds()).as("none has given up").hasSize(1);
    released.countDown();
    scene.untilNoLag();
  }

  @Test
  void a_dead_letter_that_would_be_too_large_is_written_without_its_content() {
    KafkaTransport transport = scene.transport(scene.options());
    scene.topics.write(scene.topic, 2, List.of(new byte[MOST_BYTES - 200], wakeup(1)));

    scene.join(transport, worker, 1);
    scene.untilNoLag();

    assertThat(worker.runIds()).containsExactly("1");
    assertThat(deadLetters()).singleElement().satisfies(letter -> {
      assertThat(letter.key()).isEqualTo("key");
      assertThat(letter.value()).isEmpty();
      assertThat(headers(letter))
          .containsEntry(DeadLetters.LEFT_OUT, "RecordTooLargeException")
          .containsEntry(DeadLetters.REASON, "unreadable")
          .containsEntry(DeadLetters.TOPIC, scene.topic)
          .containsEntry(DeadLetters.PARTITION, "2")
          .containsEntry(DeadLetters.OFFSET, "0");
    });
    assertThat(transport.deliveryCounts().deadLettered()).isEqualTo(1);
    assertThat(transport.deliveryCounts().deadLettersLost()).isZero();
  }

  @Test
  void a_dead_letter_without_a_key_has_its_place_for_one_where_the_topic_is_compacted() {
    KafkaTransport transport = scene.transport(scene.options());
    scene.topics.configure(
        scene.topic + ".dead-letter",
        TopicConfig.CLEANUP_POLICY_CONFIG,
        TopicConfig.CLEANUP_POLICY_COMPACT);
    scene.topics.write(new ProducerRecord<>(scene.topic, 1, null, new byte[] {1}));

    scene.join(transport, worker, 1);
    scene.untilNoLag();

    assertThat(deadLetters()).singleElement().satisfies(letter -> {
      assertThat(letter.key()).isEqualTo(scene.topic + "/1/0");
      assertThat(letter.value()).isEmpty();
      assertThat(headers(letter)).containsEntry(DeadLetters.LEFT_OUT, "InvalidRecordException");
    });
    assertThat(transport.deliveryCounts().deadLettered()).isEqualTo(1);
  }

  @Test
  void a_record_whose_dead_letter_can_never_be_written_holds_nothing_up() {
    KafkaTransport transport = scene.transport(scene.options());
    scene.topics.configure(
        scene.topic + ".dead-letter", TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "100");
    scene.topics.write(scene.topic, 0, List.of(new byte[] {1}, wakeup(1)));

    scene.join(transport, worker, 1);
    scene.untilNoLag();

    assertThat(worker.runIds()).containsExactly("1");
    assertThat(deadLetters()).isEmpty();
    assertThat(transport.deliveryCounts().deadLettersLost()).isEqualTo(1);
    assertThat(transport.deliveryCounts().deadLettered()).isZero();
  }

  @Test
  void no_more_is_under_way_or_fetched_than_the_bounds_say() {
    Queue<Promise<DeliveryResult>> open = new ConcurrentLinkedQueue<>();
    worker.answering(message -> {
      Promise<DeliveryResult> answer = Promise.promise();
      open.add(answer);
      return answer.future();
    });
    scene.publish(ConsumerScene.runs("run", 200));
    KafkaTransport transport = scene.transport(scene.options().setMaxInFlight(3).setMaxFetched(10));
    scene.join(transport, worker, 1);

    for (int ended = 0; ended < 200; ended++) {
      scene.until("something is under way", () -> !open.isEmpty());
      assertThat(transport.deliveryCounts().received() - ended)
          .as("held: one poll beyond what is fetched ahead, and what is under way")
          .isLessThanOrEqualTo(2 * 10 + 3);
      open.remove().complete(ScriptedWorker.DONE);
    }

    scene.untilNoLag();
    assertThat(worker.mostAtOnce()).isEqualTo(3);
    assertThat(transport.deliveryCounts().received()).isEqualTo(200);
  }

  @Test
  void a_partition_is_read_no_further_past_an_unsettled_record_than_the_bound() {
    Promise<DeliveryResult> first = Promise.promise();
    worker.answering(message ->
        message.runId().equals("0") ? first.future() : Future.succeededFuture(ScriptedWorker.DONE));
    KafkaTransport transport =
        scene.transport(scene.options().setMaxFetched(5).setMaxUncommitted(10));
    scene.topics.write(scene.topic, 0, wakeups(100));
    scene.join(transport, worker, 1);
    scene.until("the bound is reached", () -> worker.deliveries().size() >= 10);

    scene.topics.write(scene.topic, 1, wakeups(101).subList(1, 101));
    scene.until("the other partition is done", () -> scene.committed(1) == 100);

    assertThat(worker.deliveries().size() - 100).isBetween(10, 15);
    first.complete(ScriptedWorker.DONE);
    scene.untilNoLag();
  }

  @Test
  void records_that_rest_hold_up_their_own_partition_alone() {
    worker.answering(message -> answer(Integer.parseInt(message.runId()) < 200, UNKNOWN_TASK));
    scene.topics.write(scene.topic, 0, wakeups(200));
    scene.join(scene.transport(restingForAnHour()), worker, 1);
    scene.until("as many rest as may", () -> worker.deliveries().size() >= 64);

    scene.topics.write(scene.topic, 1, wakeups(500).subList(200, 500));

    scene.until("the other partition is done", () -> scene.committed(1) == 300);
    assertThat(worker.deliveries().size() - 300)
        .as("of the first one: what was in flight as the last that may rest began to")
        .isBetween(64, 2 * 64 - 1);
  }

  @Test
  void what_was_held_back_of_a_partition_is_delivered_once_fewer_of_it_rest() {
    worker.answering(message -> answer(Integer.parseInt(message.runId()) < 10, UNKNOWN_TASK));
    scene.topics.write(scene.topic, 0, wakeups(30));

    scene.join(scene.transport(scene.options().setMaxInFlight(4)), worker, 1);
    scene.untilNoLag();

    assertThat(new HashSet<>(worker.runIds())).hasSize(30);
    assertThat(deadLetters()).hasSize(10);
  }

  @Test
  void after_an_outage_the_first_success_ends_all_rests() {
    worker.answering(message -> answer(true, OUTAGE));
    scene.topics.write(scene.topic, 0, wakeups(100));
    scene.join(scene.transport(restingForAnHour()), worker, 1);
    scene.until("as many rest as may", () -> worker.deliveries().size() >= 64);

    worker.answering(message -> answer(false, OUTAGE));
    scene.topics.write(scene.topic, 1, wakeups(101).subList(100, 101));

    scene.untilNoLag();
    assertThat(new HashSet<>(worker.runIds())).hasSize(101);
  }

  @Test
  void a_record_that_fails_again_after_the_success_of_another_rests_its_time() {
    worker.answering(message -> answer(message.runId().equals("bad"), OUTAGE));
    scene.join(scene.transport(restingForAnHour()), worker, 1);
    scene.publish("bad");
    scene.until("it has failed", () -> worker.deliveries().size() == 1);

    for (String good : ConsumerScene.runs("good", 5)) {
      scene.publish(good);
      scene.until("the other is done", () -> worker.runIds().contains(good));
    }

    assertThat(worker.runIds()).filteredOn("bad"::equals).hasSize(2);
  }

  private static Future<DeliveryResult> answer(boolean failing, RunlaneException failure) {
    return failing ? Future.failedFuture(failure) : Future.succeededFuture(ScriptedWorker.DONE);
  }

  private KafkaConsumerOptions restingForAnHour() {
    return scene.options().setBackoff(Backoff.fixed(Duration.ofHours(1)));
  }

  @Test
  void stopping_takes_nothing_more_waits_for_what_is_under_way_and_commits_it() {
    Map<String, Promise<DeliveryResult>> open = new ConcurrentHashMap<>();
    worker.answering(message ->
        open.computeIfAbsent(message.runId(), run -> Promise.promise()).future());
    scene.topics.write(scene.topic, 0, wakeups(10));
    String id = scene.join(scene.transport(scene.options().setMaxInFlight(4)), worker, 1);
    scene.until("four are under way", () -> worker.underWay() == 4);

    Future<Void> undeployed = scene.vertx.undeploy(id);
    scene.until("the worker is asked to stop", worker::isStopped);
    open.values().forEach(each -> each.complete(ScriptedWorker.DONE));
    done(undeployed);

    assertThat(worker.deliveries()).hasSize(4);
    assertThat(scene.committed(0)).isEqualTo(4);
    assertThat(scene.topics.members(scene.topic)).isEmpty();
  }

  @Test
  void stopping_is_bounded_and_leaves_to_others_what_does_not_end() {
    worker.answering(message -> Promise.<DeliveryResult>promise().future());
    String id = scene.join(
        scene.transport(scene.options().setDrainTimeout(Duration.ofMillis(300))), worker, 1);
    scene.publish("endless");
    scene.until("it is under way", () -> worker.underWay() == 1);

    done(scene.vertx.undeploy(id));

    ScriptedWorker next = new ScriptedWorker();
    scene.join(scene.transport(scene.options()), next, 1);
    scene.untilNoLag();
    assertThat(next.runIds()).containsExactly("endless");
  }

  @Test
  void consumers_that_come_and_go_under_load_lose_nothing() {
    ScriptedWorker slow = new ScriptedWorker()
        .answering(message ->
            scene.vertx.timer(2, TimeUnit.MILLISECONDS).map(fired -> ScriptedWorker.DONE));
    KafkaTransport transport = scene.transport(scene.options().setMaxFetched(16));
    String first = scene.join(transport, slow, 1);
    scene.publish(ConsumerScene.runs("a", 500));
    String second = scene.join(transport, slow, 2);
    scene.publish(ConsumerScene.runs("b", 500));
    done(scene.vertx.undeploy(first));
    scene.publish(ConsumerScene.runs("c", 500));
    scene.join(transport, slow, 2);
    scene.join(transport, slow, 3);
    scene.publish(ConsumerScene.runs("d", 500));
    done(scene.vertx.undeploy(second));

    scene.untilNoLag();

    assertThat(new HashSet<>(slow.runIds())).hasSize(2_000);
    assertThat(transport.deliveryCounts().deadLettered()).isZero();
  }

  /** Committed while it is being taken away, so that the next consumer does not get what was settled. */
  @Test
  void what_is_settled_is_committed_before_a_partition_goes() {
    KafkaConsumerOptions rarely = scene.options().setCommitInterval(Duration.ofHours(1));
    KafkaTransport first = scene.transport(rarely);
    scene.join(first, worker, 1);
    scene.publish(ConsumerScene.runs("run", 100));
    scene.until("all are settled", () -> first.deliveryCounts().ignoredTotal() == 100);
    ScriptedWorker second = new ScriptedWorker();

    scene.join(scene.transport(rarely), second, 2);
    scene.publish(ConsumerScene.runs("more", 100));
    scene.until(
        "all are delivered",
        () -> worker.deliveries().size() + second.deliveries().size() == 200);

    assertThat(second.runIds()).allMatch(run -> run.startsWith("more"));
  }

  /** Whoever hears of it lets go of what was settled, in another thread. */
  @Test
  void a_consumer_hears_that_a_partition_goes_once_what_is_settled_of_it_is_committed() {
    KafkaTransport transport = scene.transport(scene.options());
    ConcurrentMap<TopicPartition, Long> settled = new ConcurrentHashMap<>();
    Set<TopicPartition> gone = new HashSet<>();
    for (int partition = 0; partition < ConsumerScene.PARTITIONS; partition++) {
      scene.topics.write(scene.topic, partition, wakeups(5));
    }
    try (SettlingConsumer first = client(transport, settled);
        SettlingConsumer second = client(transport, new ConcurrentHashMap<>())) {
      first.subscribe(Set.of(scene.topic), new ConsumerRebalanceListener() {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
          partitions.forEach(each -> settled.put(each, 5L));
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
          gone.addAll(partitions);
          partitions.forEach(settled::remove);
        }
      });
      scene.until("it has all partitions", () -> {
        first.poll(Duration.ofMillis(20));
        return settled.size() == ConsumerScene.PARTITIONS;
      });
      second.subscribe(Set.of(scene.topic));
      scene.until("some of them go", () -> {
        first.poll(Duration.ofMillis(20));
        second.poll(Duration.ofMillis(20));
        return !gone.isEmpty();
      });

      assertThat(gone).allMatch(each -> scene.committed(each.partition()) == 5);
    }
  }

  private SettlingConsumer client(
      KafkaTransport transport, ConcurrentMap<TopicPartition, Long> settled) {
    return new SettlingConsumer(
        ClientProperties.consumer(transport.options(), scene.options()),
        settled,
        new ConcurrentHashMap<>(),
        Duration.ofSeconds(5));
  }

  private static List<byte[]> wakeups(int count) {
    return java.util.stream.IntStream.range(0, count)
        .mapToObj(KafkaConsumerTest::wakeup)
        .toList();
  }

  private static byte[] wakeup(int runId) {
    return ("{\"v\":1,\"environment\":\"test\",\"runId\":\"" + runId
            + "\",\"queue\":\"mail\",\"requestedAt\":\"2026-01-01T00:00:00Z\"}")
        .getBytes(StandardCharsets.UTF_8);
  }

  private List<ConsumerRecord<String, byte[]>> deadLetters() {
    return scene.topics.records(scene.topic + ".dead-letter");
  }

  private static Map<String, String> headers(ConsumerRecord<String, byte[]> record) {
    Map<String, String> headers = new HashMap<>();
    for (Header header : record.headers()) {
      headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
    }
    return headers;
  }

  private static List<String> both(List<String> some, List<String> more) {
    return java.util.stream.Stream.concat(some.stream(), more.stream()).toList();
  }
}
