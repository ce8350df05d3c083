package dev.runlane.transport.kafka;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.kafka.client.consumer.KafkaReadStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes wakeups from the partitions it is given, has them executed and commits what is settled. Touched on one
 * context only.
 *
 * <pre>
 *   poll ─► fetched ─► in flight ─► settled ─► committable, once everything before it is
 *              ▲           │ failed
 *              └─ resting ◄┘           after the last try: dead letter, then settled
 * </pre>
 *
 * <p>Where as many records of one partition rest as may be in flight, the others of that partition are held back,
 * and it is paused; what is fetched of other partitions goes on.
 *
 * <p>Polling never waits for a handler: while enough is fetched, partitions are paused and polling continues,
 * so the group sees a live member however long an attempt takes. Commits are sent between two polls only;
 * a rebalance happens inside one, so they never touch what another consumer owns.
 */
final class WakeupConsumer {
  private static final Logger LOG = LoggerFactory.getLogger(WakeupConsumer.class);
  private static final Duration AFTER_FAILED_POLL = Duration.ofSeconds(1);
  private static final Duration PAUSED_POLL = Duration.ofMillis(10); // how soon it is noticed
  private static final Duration LAG_TOLD_EVERY = Duration.ofMillis(500);

  private final KafkaReadStream<byte[], byte[]> stream;
  private final DeliveryWorker worker;
  private final KafkaConsumerOptions options;
  private final DeadLetters deadLetters;
  private final DeliveryCounters counters;
  private final Timers timers;
  private final Randomness randomness;
  private final Executor home;
  private final ConcurrentMap<TopicPartition, Long> settled;
  private final Map<TopicPartition, Long> unread;
  private final SweepLoop loop;
  private final Map<TopicPartition, Partition> owned = new LinkedHashMap<>();
  private final Map<TopicPartition, Long> committed = new HashMap<>();
  private final Set<TopicPartition> paused = new HashSet<>();
  private final Deque<Delivery> fetched = new ArrayDeque<>();
  private final Set<Delivery> hopeful =
      new LinkedHashSet<>(); // they rest until any delivery succeeds
  private final FailureLog deliveryFailures = new FailureLog(LOG, "a delivery");
  private final FailureLog burials = new FailureLog(LOG, "dead letters");
  private final FailureLog burialFailures = new FailureLog(LOG, "writing a dead letter");
  private final FailureLog commitFailures = new FailureLog(LOG, "committing offsets");
  private final Promise<Void> drained = Promise.promise();
  private final Queue<Runnable> answers =
      new ConcurrentLinkedQueue<>(); // of workers and of Kafka, by any thread
  private final AtomicBoolean isTurnAsked = new AtomicBoolean(); // in which they are taken
  private final Set<Partition> settling = new HashSet<>(); // in this turn
  private @Nullable Future<Void> stopped;
  private Duration commitDue;
  private Duration lagDue;
  private int inFlight;

  /**
   * @param parts what all consumers of a transport share
   * @param stream reads as the context that made it
   * @param settled where the polling thread finds what may be committed
   * @param unread where the polling thread says how many records of a partition it has not fetched
   * @param home runs an action on the consumer's context, in a later turn
   */
  WakeupConsumer(
      Parts parts,
      KafkaReadStream<byte[], byte[]> stream,
      ConcurrentMap<TopicPartition, Long> settled,
      Map<TopicPartition, Long> unread,
      Executor home) {
    this.stream = stream;
    this.settled = settled;
    this.unread = unread;
    this.home = home;
    worker = parts.worker();
    options = parts.options();
    deadLetters = parts.deadLetters();
    counters = parts.counters();
    timers = parts.timers();
    randomness = parts.randomness();
    commitDue = timers.elapsed();
    lagDue = commitDue;
    loop = new SweepLoop(timers, "Kafka consumer", this::pollOnce, AFTER_FAILED_POLL, home);
  }

  /**
   * What a consumer works with.
   *
   * @param worker executes wakeups
   * @param options bounds and durations
   * @param deadLetters takes what cannot be dealt with
   * @param counters where everything is counted
   * @param timers for back-off and polls
   * @param randomness jitter
   */
  record Parts(
      DeliveryWorker worker,
      KafkaConsumerOptions options,
      DeadLetters deadLetters,
      DeliveryCounters counters,
      Timers timers,
      Randomness randomness) {}

  /** Joins the group; completes before partitions are given to it. */
  Future<Void> start(Set<String> topics) {
    stream.partitionsAssignedHandler(this::assigned);
    stream.partitionsRevokedHandler(this::revoked);
    return stream.subscribe(topics).map(subscribed -> {
      loop.start();
      return null;
    });
  }

  /**
   * Takes no more records, stops the worker, waits for deliveries under way within the drain timeout while it
   * stays in the group, commits, and leaves. Records that were not settled go to others.
   */
  Future<Void> stop() {
    if (stopped == null) {
      dropFetched(Set.copyOf(owned.keySet()), false);
      Future<Void> ended = drained.future();
      stopped = timers
          .within(
              options.getDrainTimeout(),
              Future.join(AdapterCall.of("worker.stop", worker::stop), ended),
              TimeoutException::new)
          .transform((all, failure) -> {
            if (failure != null) {
              LOG.warn("a Kafka consumer stops with {} deliveries under way", inFlight, failure);
            }
            return loop.stop();
          })
          .compose(quiet -> {
            owned.keySet().forEach(counters::gone);
            return stream.close(); // which commits
          });
      completeIfDrained();
    }
    return stopped;
  }

  /** One poll, with everything that must not happen during one before it. Always wants the next at once. */
  Future<Boolean> pollOnce() {
    Future<Void> committing =
        timers.elapsed().compareTo(commitDue) >= 0 ? commit() : Future.succeededFuture();
    return committing
        .compose(done -> pauseOrResume())
        .compose(steered -> stream.poll(
            isFull() && PAUSED_POLL.compareTo(options.getPollTimeout()) < 0
                ? PAUSED_POLL
                : options.getPollTimeout()))
        .map(records -> {
          take(records);
          tellLag();
          return true;
        });
  }

  /** What Kafka says is not fetched, and what was fetched and is not settled. */
  private void tellLag() {
    if (timers.elapsed().compareTo(lagDue) < 0) {
      return;
    }
    lagDue = timers.elapsed().plus(LAG_TOLD_EVERY);
    owned.forEach((name, partition) -> {
      Long left = unread.get(name);
      if (left != null) {
        counters.lag(name, left + partition.offsets.uncommitted());
      }
    });
  }

  private void take(ConsumerRecords<byte[], byte[]> records) {
    if (stopped != null) {
      return; // what is not taken is not settled, and somebody else's later
    }
    counters.received(records.count());
    for (ConsumerRecord<byte[], byte[]> record : records) {
      Partition partition = partitionOf(record);
      fetched.add(new Delivery(record, partition, partition.offsets.take(record.offset())));
    }
    beginMore();
  }

  /** A partition whose numbers begin anew, because its topic was made again, is another one. */
  private Partition partitionOf(ConsumerRecord<byte[], byte[]> record) {
    TopicPartition name = new TopicPartition(record.topic(), record.partition());
    Partition partition = owned.computeIfAbsent(name, Partition::new);
    if (partition.offsets.isNext(record.offset())) {
      return partition;
    }
    LOG.warn("{} begins anew at offset {}", name, record.offset());
    dropFetched(Set.of(name), true);
    return owned.computeIfAbsent(name, Partition::new);
  }

  private void beginMore() {
    while (stopped == null && inFlight < options.getMaxInFlight() && !fetched.isEmpty()) {
      Delivery next = fetched.remove();
      if (isHeld(next.partition) && !next.hasRested) {
        next.partition.heldBack.add(next);
      } else {
        begin(next);
      }
    }
  }

  private boolean isHeld(Partition partition) {
    return partition.resting.size() >= options.getMaxInFlight();
  }

  private void begin(Delivery delivery) {
    inFlight++;
    if (delivery.verdict == null && delivery.message == null) {
      try {
        delivery.message = WakeupRecords.read(delivery.record.value(), delivery.record.headers());
      } catch (RunlaneException unreadable) {
        delivery.verdict = new Verdict(DeadLetters.UNREADABLE, unreadable);
      }
    }
    if (delivery.verdict != null) {
      deadLetter(delivery, delivery.verdict);
    } else if (delivery.message != null) {
      DeliveryMessage message = delivery.message;
      AdapterCall.of("executeDelivery", () -> worker.executeDelivery(message))
          .onComplete(result -> answered(() -> delivered(delivery, result)));
    }
  }

  /** What comes in quick succession is dealt with in one turn. */
  private void answered(Runnable answer) {
    answers.add(answer);
    if (isTurnAsked.compareAndSet(false, true)) {
      home.execute(this::takeAnswers);
    }
  }

  private void takeAnswers() {
    isTurnAsked.set(false); // first, so that whoever adds one from now on asks for another turn
    for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
      inFlight--;
      answer.run();
    }
    settling.forEach(this::publish);
    settling.clear();
    completeIfDrained();
    beginMore();
  }

  private void delivered(Delivery delivery, AsyncResult<DeliveryResult> result) {
    if (result.succeeded()) {
      counters.delivered(result.result());
      deliveryFailures.succeeded();
      settle(delivery);
      endRests();
    } else {
      failed(delivery, result.cause());
    }
  }

  private void failed(Delivery delivery, Throwable cause) {
    if (stopped != null || delivery.partition.isRevoked) {
      return; // it was not settled, so whoever has the partition next gets it
    }
    RunlaneException failure = cause instanceof RunlaneException ours
        ? ours
        : RunlaneException.of(ErrorCode.INTERNAL_ERROR, "executeDelivery failed")
            .causedBy(cause);
    counters.failed();
    if (failure.code() == ErrorCode.OPERATION_CANCELLED) { // nobody has tried
      deliveryFailures.failed(failure, restUntilSuccess(delivery, ++delivery.cancellations));
      return;
    }
    delivery.failures++;
    int most = failure.isRetryable() ? options.getMaxAttempts() : options.getMaxFutileAttempts();
    if (delivery.failures >= most) {
      inFlight++;
      deadLetter(delivery, new Verdict(failure.code().value(), failure));
    } else {
      deliveryFailures.failed(
          failure,
          failure.isRetryable()
              ? restUntilSuccess(delivery, delivery.failures)
              : rest(delivery, delivery.failures));
    }
  }

  /** Moves a record to its dead-letter topic; while that takes nothing, the record stays unsettled. */
  private void deadLetter(Delivery delivery, Verdict verdict) {
    delivery.verdict = verdict;
    deadLetters
        .write(
            delivery.record,
            verdict.reason(),
            verdict.failure(),
            delivery.failures,
            delivery.leftOut)
        .onComplete(written -> answered(() -> deadLettered(delivery, verdict, written)));
  }

  private void deadLettered(Delivery delivery, Verdict verdict, AsyncResult<Void> written) {
    if (written.succeeded()) {
      burials.gaveUp(String.format(
          Locale.ROOT,
          "%s is moved to them%s: %s",
          delivery,
          delivery.leftOut == null ? "" : " without its content (" + delivery.leftOut + ")",
          verdict.reason()));
      counters.deadLettered(delivery.partition.name);
      burialFailures.succeeded();
      settle(delivery);
    } else {
      counters.deadLetterRefused();
      if (stopped == null && !delivery.partition.isRevoked) {
        deadLetterRefused(delivery, verdict, written.cause());
      }
    }
  }

  /**
   * What is refused for good would hold up its partition for ever, and with others all of them: it is written without
   * its content, and where that is refused for good too, what this log says is all that is left of it.
   */
  private void deadLetterRefused(Delivery delivery, Verdict verdict, Throwable refusal) {
    if (!KafkaFailures.isFinal(refusal)) {
      delivery.burials++;
      burialFailures.failed(refusal, rest(delivery, delivery.burials));
    } else if (delivery.leftOut == null) {
      delivery.leftOut = KafkaFailures.code(refusal);
      inFlight++;
      deadLetter(delivery, verdict);
    } else {
      LOG.error(
          "{} is settled without a dead letter, which Kafka refuses for good: {}",
          delivery,
          verdict.reason(),
          refusal);
      counters.deadLetterLost();
      settle(delivery);
    }
  }

  /**
   * What failed for a cause that goes away rests no longer than until another delivery succeeds, so that nothing waits
   * once a storage is back. A record that fails again after that has a cause of its own and rests its time.
   */
  private Duration restUntilSuccess(Delivery delivery, int failures) {
    if (!delivery.wasHurried) {
      hopeful.add(delivery);
    }
    return rest(delivery, failures);
  }

  private Duration rest(Delivery delivery, int failures) {
    Duration pause = options.getBackoff().delay(failures, randomness);
    delivery.hasRested = true;
    delivery.partition.resting.put(delivery, timers.schedule(pause, () -> {
      hopeful.remove(delivery);
      putBack(delivery);
      beginMore();
    }));
    return pause;
  }

  private void endRests() {
    List<Delivery> ended = new ArrayList<>(hopeful);
    hopeful.clear();
    Collections.reverse(ended); // the first that rested is the first to begin
    ended.forEach(delivery -> {
      delivery.wasHurried = true;
      putBack(delivery);
    });
  }

  private void putBack(Delivery delivery) {
    Partition partition = delivery.partition;
    Timers.Timer timer = partition.resting.remove(delivery);
    if (timer == null) {
      return; // its partition went, or nothing begins any more
    }
    timer.cancel();
    while (!isHeld(partition) && !partition.heldBack.isEmpty()) {
      fetched.addFirst(partition.heldBack.removeLast());
    }
    fetched.addFirst(delivery);
  }

  private void settle(Delivery delivery) {
    delivery.partition.offsets.settle(delivery.taken);
    settling.add(delivery.partition);
  }

  /** Says what may be committed of it. */
  private void publish(Partition partition) {
    if (!partition.isRevoked && partition.offsets.committable() != PartitionOffsets.NOTHING) {
      settled.put(partition.name, partition.offsets.committable());
    }
  }

  private void completeIfDrained() {
    if (stopped != null && inFlight == 0) {
      drained.tryComplete();
    }
  }

  /** Pauses and resumes so that what is fetched ahead and what is uncommitted stay within their bounds. */
  private Future<Void> pauseOrResume() {
    boolean full = isFull();
    Set<TopicPartition> toPause = new HashSet<>();
    Set<TopicPartition> toResume = new HashSet<>();
    owned.forEach((name, partition) -> {
      boolean held = full
          || isHeld(partition)
          || partition.offsets.uncommitted() >= options.getMaxUncommitted();
      if (held && paused.add(name)) {
        toPause.add(name);
      } else if (!held && paused.remove(name)) {
        toResume.add(name);
      }
    });
    return (toPause.isEmpty() ? Future.<Void>succeededFuture() : stream.pause(toPause))
        .compose(done -> toResume.isEmpty() ? Future.succeededFuture() : stream.resume(toResume));
  }

  private boolean isFull() {
    return stopped != null || fetched.size() >= options.getMaxFetched();
  }

  /** Commits what was settled since the last time. A commit that fails is made again with the next one. */
  private Future<Void> commit() {
    commitDue = timers.elapsed().plus(options.getCommitInterval());
    Map<TopicPartition, Long> news = new HashMap<>();
    settled.forEach((name, offset) -> {
      if (owned.containsKey(name) && !offset.equals(committed.get(name))) {
        news.put(name, offset);
      }
    });
    if (news.isEmpty()) {
      return Future.succeededFuture();
    }
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    news.forEach((name, offset) -> offsets.put(name, new OffsetAndMetadata(offset)));
    return stream
        .commit(offsets)
        .<Void>map(done -> {
          committed.putAll(news);
          commitFailures.succeeded();
          return null;
        })
        .recover(failure -> {
          commitFailures.failed(failure, options.getCommitInterval());
          return Future.succeededFuture();
        });
  }

  private void assigned(Set<TopicPartition> partitions) {
    LOG.info("partitions assigned: {}", partitions);
    partitions.forEach(name -> owned.computeIfAbsent(name, Partition::new));
  }

  private void revoked(Set<TopicPartition> partitions) {
    LOG.info("partitions revoked: {}", partitions);
    dropFetched(partitions, true);
  }

  /** Nothing begins any more that was fetched from these partitions. */
  private void dropFetched(Set<TopicPartition> partitions, boolean gone) {
    int before = fetched.size();
    fetched.removeIf(delivery -> partitions.contains(delivery.partition.name));
    int heldBack = partitions.stream()
        .map(owned::get)
        .filter(Objects::nonNull)
        .mapToInt(this::dropHeld)
        .sum();
    counters.revoked(before - fetched.size() + heldBack);
    if (gone) {
      for (TopicPartition name : partitions) {
        Partition partition = owned.remove(name);
        if (partition != null) {
          partition.isRevoked = true;
        }
        settled.remove(name);
        committed.remove(name);
        paused.remove(name);
        counters.gone(name);
      }
      beginMore();
    }
  }

  private int dropHeld(Partition partition) {
    int heldBack = partition.heldBack.size();
    partition.heldBack.clear();
    partition.resting.forEach((delivery, timer) -> {
      timer.cancel();
      hopeful.remove(delivery);
    });
    partition.resting.clear();
    return heldBack;
  }

  /** A partition, from its assignment to its revocation. */
  private static final class Partition {
    private final TopicPartition name;
    private final PartitionOffsets offsets = new PartitionOffsets();
    private final Map<Delivery, Timers.Timer> resting =
        new HashMap<>(); // until they are tried again
    private final Deque<Delivery> heldBack = new ArrayDeque<>(); // fetched, while too many rest
    private boolean isRevoked;

    private Partition(TopicPartition name) {
      this.name = name;
    }
  }

  /** A record that was taken, and how far it is. */
  private static final class Delivery {
    private final ConsumerRecord<byte[], byte[]> record;
    private final Partition partition;
    private final PartitionOffsets.Taken taken;
    private @Nullable DeliveryMessage message;
    private @Nullable Verdict verdict; // it is to be a dead letter
    private int failures;
    private int cancellations; // by a worker that stops, or whose clock is off
    private int burials; // that failed
    private boolean hasRested;
    private boolean wasHurried; // by the success of another one
    private @Nullable String leftOut; // why its content is no part of its dead letter

    private Delivery(
        ConsumerRecord<byte[], byte[]> record, Partition partition, PartitionOffsets.Taken taken) {
      this.record = record;
      this.partition = partition;
      this.taken = taken;
    }

    @Override
    public String toString() {
      return "record " + record.offset() + " of " + partition.name
          + (message == null ? "" : " (run " + message.runId() + ")");
    }
  }

  private record Verdict(String reason, RunlaneException failure) {}
}
