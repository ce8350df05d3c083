package dev.runlane.storage.read;

import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Asks for runs of bounded queues that need a dispatch reservation.
 *
 * @param environment scope
 * @param queues bounded queues; none: no result; one named twice counts once, as named first
 * @param now the caller's time
 * @param limit most candidates, at least 1
 */
public record ListRunsNeedingDispatch(
    Environment environment, List<QueuePolicy> queues, Instant now, int limit) {
  /** Copies the queues, keeps the first policy of each queue, refuses null and cuts instants to microseconds. */
  public ListRunsNeedingDispatch {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    queues = QueuePolicy.firstOfEach(queues);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
