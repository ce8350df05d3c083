package dev.runlane.storage.read;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Asks for runs that need a fresh delivery request.
 *
 * @param environment scope
 * @param queues the unbounded queues to look at; none: no result
 * @param now the caller's time
 * @param limit most candidates, at least 1
 */
public record ListRunsNeedingDelivery(
    Environment environment, List<String> queues, Instant now, int limit) {
  /** Copies the queues, refuses null and cuts instants to microseconds. */
  public ListRunsNeedingDelivery {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    queues = List.copyOf(queues);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
