package dev.runlane.storage.run;

import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Claims and starts due runs.
 *
 * @param environment scope
 * @param queues only in these, with their limits; none: no result; one named twice counts once, as named first
 * @param taskIds only of these tasks; none: no result
 * @param workerId the owner of the new leases
 * @param leaseToken proof of ownership, shared by the leases of this call and used for no other
 * @param leaseFor how long the leases last
 * @param now the caller's time
 * @param limit most runs, at least 1
 * @param runIds only these, if they are due, and then only in queues without a limit; null: any
 */
public record ClaimRuns(
    Environment environment,
    List<QueuePolicy> queues,
    List<String> taskIds,
    String workerId,
    String leaseToken,
    Duration leaseFor,
    Instant now,
    int limit,
    @Nullable List<String> runIds) {
  /** Copies the lists, keeps the first policy of each queue, refuses null and cuts instants to microseconds. */
  public ClaimRuns {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(workerId);
    Objects.requireNonNull(leaseToken);
    Objects.requireNonNull(leaseFor);
    Objects.requireNonNull(now);
    queues = QueuePolicy.firstOfEach(queues);
    taskIds = List.copyOf(taskIds);
    runIds = runIds == null ? null : List.copyOf(runIds);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }

  /** Of any run. */
  public ClaimRuns(
      Environment environment,
      List<QueuePolicy> queues,
      List<String> taskIds,
      String workerId,
      String leaseToken,
      Duration leaseFor,
      Instant now,
      int limit) {
    this(environment, queues, taskIds, workerId, leaseToken, leaseFor, now, limit, null);
  }
}
