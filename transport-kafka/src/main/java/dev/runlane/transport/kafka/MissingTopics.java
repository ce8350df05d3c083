package dev.runlane.transport.kafka;

import dev.runlane.timing.Timers;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Topics that no broker knew a moment ago. The client blocks each time it looks for such a topic, and the
 * wakeups of other queues would wait behind that. Touched by one thread.
 */
final class MissingTopics {
  private static final Duration REMEMBERED = Duration.ofSeconds(10);

  private final Timers timers;
  private final Map<String, Missing> topics = new HashMap<>(); // among those bound, so bounded

  MissingTopics(Timers timers) {
    this.timers = timers;
  }

  /** Remembers a failure, if it says that the topic is not there. */
  void learn(String topic, Throwable failure) {
    if (KafkaFailures.isUnknownTopic(failure)) {
      topics.put(topic, new Missing(failure, timers.elapsed().plus(REMEMBERED)));
    }
  }

  /** Why the topic was not found a moment ago, or null. */
  @Nullable
  Throwable failureOf(String topic) {
    Missing missing = topics.get(topic);
    if (missing == null) {
      return null;
    }
    if (timers.elapsed().compareTo(missing.until()) >= 0) {
      topics.remove(topic);
      return null;
    }
    return missing.failure();
  }

  private record Missing(Throwable failure, Duration until) {}
}
