package dev.runlane.operator.queue;

import dev.runlane.run.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Takes runs whose queue was resumed, to have them delivered again.
 *
 * @param environment scope
 * @param queues only of these, which need not be resumed
 * @param token new, names this claim in {@link FinishResumedRuns}
 * @param now the caller's time
 * @param settleFor by how much the clocks of two processes may differ
 * @param claimFor for how long nobody else takes runs of the same queue
 * @param limit how many runs at most
 */
public record TakeResumedRuns(
    Environment environment,
    List<String> queues,
    String token,
    Instant now,
    Duration settleFor,
    Duration claimFor,
    int limit) {
  /** Copies the list, refuses null and cuts instants to microseconds. */
  public TakeResumedRuns {
    Objects.requireNonNull(environment);
    queues = List.copyOf(queues);
    Objects.requireNonNull(token);
    Objects.requireNonNull(settleFor);
    Objects.requireNonNull(claimFor);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
