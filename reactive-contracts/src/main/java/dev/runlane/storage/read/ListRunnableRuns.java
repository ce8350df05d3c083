package dev.runlane.storage.read;

import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Asks for runs a worker may claim.
 *
 * @param environment scope
 * @param queues only in these, with their limits; none: no result; one named twice counts once, as named first
 * @param taskIds only of these tasks; none: no result
 * @param now the caller's time
 * @param limit most candidates, at least 1
 */
public record ListRunnableRuns(
    Environment environment,
    List<QueuePolicy> queues,
    List<String> taskIds,
    Instant now,
    int limit) {
  /** Copies the lists, keeps the first policy of each queue, refuses null and cuts instants to microseconds. */
  public ListRunnableRuns {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    queues = QueuePolicy.firstOfEach(queues);
    taskIds = List.copyOf(taskIds);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
