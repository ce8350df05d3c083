package dev.runlane.operator.process;

import dev.runlane.transport.PartitionLag;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * What a process says of itself.
 *
 * @param processId the process
 * @param host the machine it runs on
 * @param version of Runlane; empty where it is not known
 * @param roles what it does, such as {@code worker} or {@code scheduler}
 * @param queues the queues its workers take; of a process without slots, and of the release before, all that it has
 * @param taskIds the tasks that it has a handler of
 * @param workerIds the workers that its leases name
 * @param slots how many runs it works on at most
 * @param running how many it works on
 * @param longestLease how long its leases last at most
 * @param startedAt when it began
 * @param lags how far its consumers are behind, by partition; none where nothing shares wakeups out
 */
public record RuntimeProcess(
    String processId,
    String host,
    String version,
    List<String> roles,
    List<String> queues,
    List<String> taskIds,
    List<String> workerIds,
    int slots,
    int running,
    Duration longestLease,
    Instant startedAt,
    List<PartitionLag> lags) {
  /** The most partitions that a process tells of = 1 000. */
  public static final int MOST_LAGS = 1_000;

  /** A process that tells of no partition. */
  public RuntimeProcess(
      String processId,
      String host,
      String version,
      List<String> roles,
      List<String> queues,
      List<String> taskIds,
      List<String> workerIds,
      int slots,
      int running,
      Duration longestLease,
      Instant startedAt) {
    this(
        processId,
        host,
        version,
        roles,
        queues,
        taskIds,
        workerIds,
        slots,
        running,
        longestLease,
        startedAt,
        List.of());
  }

  /** Copies the lists, refuses null and cuts the instant to microseconds and the duration to milliseconds. */
  public RuntimeProcess {
    Objects.requireNonNull(processId);
    Objects.requireNonNull(host);
    Objects.requireNonNull(version);
    roles = List.copyOf(roles);
    queues = List.copyOf(queues);
    taskIds = List.copyOf(taskIds);
    workerIds = List.copyOf(workerIds);
    longestLease = longestLease.truncatedTo(ChronoUnit.MILLIS);
    startedAt = startedAt.truncatedTo(ChronoUnit.MICROS);
    lags = List.copyOf(lags);
  }
}
