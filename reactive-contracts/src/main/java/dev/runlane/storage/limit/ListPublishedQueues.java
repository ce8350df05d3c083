package dev.runlane.storage.limit;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Asks which queues living processes have.
 *
 * @param environment scope
 * @param now the caller's time
 * @param queues of these names; empty: of any
 */
public record ListPublishedQueues(Environment environment, Instant now, List<String> queues) {
  /** Asks for all of them. */
  public ListPublishedQueues(Environment environment, Instant now) {
    this(environment, now, List.of());
  }

  /** Copies the names, refuses null and cuts instants to microseconds. */
  public ListPublishedQueues {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    queues = List.copyOf(queues);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
