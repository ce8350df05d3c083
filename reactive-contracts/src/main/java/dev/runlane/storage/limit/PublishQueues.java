package dev.runlane.storage.limit;

import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Publishes the queues of one process.
 *
 * @param environment scope
 * @param processId the process
 * @param queues its queues, each once
 * @param now the caller's time
 * @param validFor how long they hold
 */
public record PublishQueues(
    Environment environment,
    String processId,
    List<QueuePolicy> queues,
    Instant now,
    Duration validFor) {
  /** Copies the list, refuses null and cuts instants to microseconds. */
  public PublishQueues {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(processId);
    Objects.requireNonNull(now);
    Objects.requireNonNull(validFor);
    queues = List.copyOf(queues);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
