package dev.runlane.transport.kafka;

import dev.runlane.timing.Timers;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicCollection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Topics that no broker knew a moment ago. The producer blocks each time it looks for such a topic, and the wakeups of
 * other queues would wait behind that: once it has, brokers are asked for all topics together, and again from time to
 * time while one is missing. Touched by one thread, which waits for those answers, for three seconds at most.
 */
final class MissingTopics {
  private static final Logger LOG = LoggerFactory.getLogger(MissingTopics.class);
  private static final Duration REMEMBERED = Duration.ofSeconds(10);
  private static final int LONGEST_LOOK_MILLIS = 2_000;

  /** For how long answers are waited for: the client fails them in time, unless its thread is dead. */
  private static final Duration ANSWERED_WITHIN = Duration.ofMillis(LONGEST_LOOK_MILLIS + 1_000);

  private final Timers timers;
  private final Callable<Map<String, Throwable>> look;
  private final Map<String, Throwable> topics = new HashMap<>(); // among those bound, so bounded
  private Duration nextLook = Duration.ZERO;

  MissingTopics(Timers timers, KafkaTransportOptions options) {
    this(timers, () -> look(options));
  }

  /** @param look which of all topics no broker knows, and what was said of each; fails when nobody answers */
  MissingTopics(Timers timers, Callable<Map<String, Throwable>> look) {
    this.timers = timers;
    this.look = look;
  }

  /** Remembers a failure, if it says that the topic is not there; others that are not are learned with it. */
  void learn(String topic, Throwable failure) {
    if (KafkaFailures.isUnknownTopic(failure)) {
      lookAgain();
      topics.put(topic, failure); // the producer does not find it yet, whatever was answered
    }
  }

  /** Why the topic was not found a moment ago, or null. */
  @Nullable
  Throwable failureOf(String topic) {
    if (!topics.isEmpty() && timers.elapsed().compareTo(nextLook) >= 0) {
      lookAgain();
    }
    return topics.get(topic);
  }

  /** Asks brokers now: whether they know the topic. False where nobody answers. */
  boolean isFound(String topic) {
    return lookAgain() && !topics.containsKey(topic);
  }

  /** Whether somebody answered. Where nobody does, what was known stays. */
  private boolean lookAgain() {
    boolean answered = false;
    try {
      Map<String, Throwable> missing = look.call();
      topics.clear();
      topics.putAll(missing);
      answered = true;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (Exception unanswered) {
      LOG.debug("looking for missing topics failed", unanswered);
    }
    nextLook = timers.elapsed().plus(REMEMBERED);
    return answered;
  }

  /** With a client of its own: the producer's memory of topics is what is in doubt. */
  private static Map<String, Throwable> look(KafkaTransportOptions options)
      throws ExecutionException, InterruptedException, TimeoutException {
    Set<String> bound = new HashSet<>();
    for (KafkaQueue queue : options.getQueues()) {
      bound.add(queue.getTopic());
      bound.add(queue.getDeadLetterTopic());
    }
    Admin admin = Admin.create(ClientProperties.admin(options));
    try {
      return missing(
          admin
              .describeTopics(
                  TopicCollection.ofTopicNames(bound),
                  new DescribeTopicsOptions().timeoutMs(LONGEST_LOOK_MILLIS))
              .topicNameValues(),
          ANSWERED_WITHIN);
    } finally {
      admin.close(Duration.ZERO);
    }
  }

  /** @param within for how long an answer is waited for; one that does not come by then is that of nobody */
  static Map<String, Throwable> missing(
      Map<String, KafkaFuture<TopicDescription>> answers, Duration within)
      throws ExecutionException, InterruptedException, TimeoutException {
    Map<String, Throwable> missing = new HashMap<>();
    for (Map.Entry<String, KafkaFuture<TopicDescription>> answer : answers.entrySet()) {
      try {
        answer.getValue().get(within.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException failure) {
        Throwable said = KafkaFailures.unwrapped(failure);
        if (KafkaFailures.isUnknownTopic(said)) {
          missing.put(answer.getKey(), said);
        } else if (KafkaFailures.isOutage(said)) {
          throw failure;
        }
      }
    }
    return missing;
  }
}
