package dev.runlane.transport.kafka;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends records and knows what became of each. Kafka's {@code send} blocks while it looks for a topic's
 * brokers or its buffer is full, so records are handed over by one thread of a worker pool, a whole command
 * in one go; the first record of a command that finds no broker answers for the rest of it. The Vert.x
 * producer is not used for this: it would block a thread of the application's pool for each single record.
 */
final class WakeupPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(WakeupPublisher.class);

  /** How much later than its timeouts say, which are the publish timeout, a living producer answers at the latest. */
  private static final Duration MARGIN = Duration.ofSeconds(1);

  /** How often at most a producer that takes nothing is in doubt: a look takes the sender's thread a while. */
  private static final Duration DOUBTED_EVERY = Duration.ofSeconds(10);

  private final Vertx vertx;
  private final WorkerExecutor sender;
  private final ReplaceableProducer producer;
  private final Map<String, KafkaQueue> bindings;
  private final Duration closeTimeout;
  private final Duration answeredWithin;
  private final String brokers;
  private final Timers timers;
  private final Outage outage;
  private final MissingTopics missing; // touched by the sender's one thread, as the next
  private Duration nextDoubt = Duration.ZERO;

  /** Found no broker although others do, and has answered nothing since. */
  private volatile @Nullable Producer<byte[], byte[]> suspect;

  WakeupPublisher(
      Vertx vertx,
      WorkerExecutor sender,
      ReplaceableProducer producer,
      KafkaTransportOptions options,
      MissingTopics missing,
      Timers timers) {
    this.vertx = vertx;
    this.sender = sender;
    this.producer = producer;
    this.missing = missing;
    this.timers = timers;
    outage = new Outage(timers);
    bindings = options.getQueues().stream()
        .collect(Collectors.toUnmodifiableMap(queue -> queue.getPolicy().queue(), queue -> queue));
    closeTimeout = options.getCloseTimeout();
    answeredWithin = options.getPublishTimeout().plus(MARGIN);
    brokers = options.getBootstrapServers();
  }

  /** Publishes to the bound topics; see the contract of the transport. */
  Future<List<WakeupPublishOutcome>> publish(PublishWakeups command) {
    List<ProducerRecord<byte[], byte[]>> records =
        command.attempts().stream().map(this::record).toList();
    return send(records).map(sent -> {
      if (!sent.isEmpty() && sent.stream().allMatch(Sent::isOutage)) {
        throw KafkaFailures.outage(sent.get(0).requireFailure(), "publishing", brokers);
      }
      return sent.stream().map(Sent::outcome).toList();
    });
  }

  /** Sends one record; fails as Kafka's client does. */
  Future<Void> send(ProducerRecord<byte[], byte[]> record) {
    return send(List.of(record)).compose(sent -> {
      Throwable failure = sent.get(0).failure();
      return failure == null ? Future.succeededFuture() : Future.failedFuture(failure);
    });
  }

  /** Finds the brokers of a topic, so that the first wakeup need not. Fails as Kafka's client does. */
  Future<Void> warmUp(String topic) {
    return sender
        .executeBlocking(() -> producer.get().partitionsFor(topic), false)
        .mapEmpty();
  }

  /** Waits for what is on its way, within the close timeout. */
  Future<Void> close() {
    return vertx
        .<Void>executeBlocking(
            () -> {
              producer.close(closeTimeout);
              return null;
            },
            false)
        .timeout(closeTimeout.toMillis() + 1_000, TimeUnit.MILLISECONDS)
        .recover(failure -> Future.failedFuture(KafkaFailures.outage(failure, "closing", brokers)))
        .eventually(() -> sender.close());
  }

  private ProducerRecord<byte[], byte[]> record(PublishWakeups.Attempt attempt) {
    KafkaQueue queue = bindings.get(attempt.message().queue());
    if (queue == null) {
      throw RunlaneException.validationFailed(
          "queue %s has no binding", attempt.message().queue());
    }
    String group = attempt.groupKey();
    String key = queue.getKey() == KafkaRecordKey.CONCURRENCY_KEY && group != null
        ? group
        : attempt.message().runId();
    return new ProducerRecord<>(
        queue.getTopic(),
        null,
        key.getBytes(StandardCharsets.UTF_8),
        WakeupRecords.value(attempt.message()),
        WakeupRecords.headers(attempt.message()));
  }

  /** One answer for each record, in order. */
  private Future<List<Sent>> send(List<ProducerRecord<byte[], byte[]>> records) {
    if (records.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    List<CompletableFuture<Sent>> answers = new ArrayList<>();
    records.forEach(record -> answers.add(new CompletableFuture<>()));
    CompletableFuture<Void> all =
        CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
    Duration begun = timers.elapsed();
    Future<@Nullable Producer<byte[], byte[]>> handedOver = sender.executeBlocking(
        () -> outage.mayTry() ? handOver(records, answers) : refuse(answers),
        false); // its one thread keeps the order; the caller's own blocking calls are none of it
    return handedOver
        .compose(used -> {
          Future<Void> answered = Future.fromCompletionStage(all, vertx.getOrCreateContext());
          return timers
              .within(
                  answeredWithin,
                  answered,
                  () -> new TimeoutException("the producer did not answer"))
              .recover(late -> timers.within( // it may have been frozen together with these timers
                  MARGIN, answered, () -> late))
              .otherwise(late -> unanswered(used, answers, begun, late));
        })
        .map(done -> answers.stream().map(CompletableFuture::join).toList());
  }

  /** What the dead producer had may have been written or not: it counts as not published. */
  private @Nullable Void unanswered(
      @Nullable Producer<byte[], byte[]> used,
      List<CompletableFuture<Sent>> answers,
      Duration begun,
      Throwable late) {
    if (used != null) {
      producer.giveUp(used, "left records unanswered past its delivery timeout");
    }
    answers.stream()
        .filter(answer -> !answer.isDone())
        .forEach(answer -> answered(answer, Sent.failed(late), begun));
    return null;
  }

  private static @Nullable Producer<byte[], byte[]> refuse(List<CompletableFuture<Sent>> answers) {
    answers.forEach(answer -> answer.complete(Sent.failed(new TimeoutException(
        "Kafka could not be reached a moment ago and is tried again in a moment"))));
    return null;
  }

  /** Gives the records to the producer, and says which that is; where none can be made, their answers say why. */
  private @Nullable Producer<byte[], byte[]> handOver(
      List<ProducerRecord<byte[], byte[]>> records, List<CompletableFuture<Sent>> answers) {
    Duration begun = timers.elapsed();
    try {
      Producer<byte[], byte[]> used = producer.get();
      handOver(used, records, answers);
      return used;
    } catch (RuntimeException | Error failure) { // no producer, or no memory for the moment
      LOG.debug("records were not handed over", failure);
      answers.forEach(answer -> answered(answer, Sent.failed(failure), begun));
      return null;
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the callback tells the same
  private void handOver(
      Producer<byte[], byte[]> used,
      List<ProducerRecord<byte[], byte[]>> records,
      List<CompletableFuture<Sent>> answers) {
    Throwable unreachable = null; // nobody was there for a record of this command
    String notFound = null; // the topic of that record, where its broker was looked for
    boolean broken = false;
    boolean tried = false;
    for (int index = 0; index < records.size(); index++) {
      ProducerRecord<byte[], byte[]> record = records.get(index);
      CompletableFuture<Sent> answer = answers.get(index);
      Throwable before = unreachable == null ? missing.failureOf(record.topic()) : unreachable;
      if (before != null) {
        answer.complete(Sent.failed(before));
        continue;
      }
      tried = true;
      Duration handedOver = timers.elapsed();
      try {
        used.send(
            record,
            (metadata, failure) -> answered(
                answer,
                failure == null ? Sent.published(metadata) : Sent.failed(failure),
                handedOver));
      } catch (RuntimeException
          | Error failure) { // a closed producer, an interrupted thread, no memory for the moment
        LOG.debug("a record was not taken by the producer", failure);
        answered(answer, Sent.failed(failure), handedOver);
        broken |= isBroken(failure);
      }
      Sent known = answer.getNow(null);
      if (known != null && known.failure() instanceof TimeoutException blocked) {
        if (KafkaFailures.isOutage(blocked)) {
          unreachable = blocked;
          notFound = blocked instanceof BufferExhaustedException ? null : record.topic();
        } else {
          missing.learn(record.topic(), blocked);
        }
      }
    }
    if (!tried) {
      outage.notTried();
    }
    if (broken && mayDoubt()) {
      producer.giveUp(used, "refuses all records");
    } else if (notFound != null && mayDoubt()) {
      doubt(used, notFound);
    }
  }

  /** Whether the producer is in a state that no record gets out of, as after a failure to authenticate. */
  private static boolean isBroken(Throwable failure) {
    return failure instanceof IllegalStateException
        || (failure instanceof KafkaException && !(failure instanceof InterruptException));
  }

  private boolean mayDoubt() {
    Duration now = timers.elapsed();
    if (now.compareTo(nextDoubt) < 0) {
      return false;
    }
    nextDoubt = now.plus(DOUBTED_EVERY);
    return true;
  }

  /**
   * A producer whose thread is dead never finds the brokers of a topic that it does not know, and has nothing that
   * stays unanswered. So they are looked for without it, after the command is answered. Those that are found before it
   * looks in vain and after it were there meanwhile, and it is given up: one find may be the end of an outage.
   */
  private void doubt(Producer<byte[], byte[]> used, String topic) {
    sender
        .<Void>executeBlocking(
            () -> {
              boolean again = used == suspect;
              if (!missing.isFound(topic)) {
                suspect = null;
              } else if (again) {
                producer.giveUp(used, "does not find the brokers that others find");
              } else {
                suspect = used;
              }
              return null;
            },
            false)
        .onFailure(
            failure -> LOG.debug("brokers were not looked for", failure)); // closed meanwhile
  }

  /** Called by the sender and by the client's own thread. */
  private void answered(CompletableFuture<Sent> answer, Sent sent, Duration handedOver) {
    if (sent.isOutage()) {
      outage.found(handedOver);
    } else {
      outage.ended();
      suspect = null;
    }
    answer.complete(sent);
  }

  /**
   * What became of a record.
   *
   * @param metadata where it is; null when it was not taken
   * @param failure why it was not taken, or null
   */
  private record Sent(
      @Nullable RecordMetadata metadata, @Nullable Throwable failure) {
    static Sent published(RecordMetadata metadata) {
      return new Sent(metadata, null);
    }

    static Sent failed(Throwable failure) {
      return new Sent(null, failure);
    }

    boolean isOutage() {
      return failure != null && KafkaFailures.isOutage(failure);
    }

    Throwable requireFailure() {
      return failure == null ? new IllegalStateException("the record was taken") : failure;
    }

    WakeupPublishOutcome outcome() {
      if (failure != null) {
        return new WakeupPublishOutcome.Failed(KafkaFailures.record(failure));
      }
      return new WakeupPublishOutcome.Published(
          metadata == null
              ? null
              : metadata.topic() + "/" + metadata.partition() + "/" + metadata.offset());
    }
  }
}
