package dev.runlane.jobs;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One hand-out of a job.
 *
 * @param attempt 1 for the first; counts all hand-outs, also those that used no attempt
 * @param startedAt when it was fetched
 * @param endedAt when it ended, or null while it runs
 * @param status how it ended; {@link Status#FAILED} while it runs
 * @param error why it failed, or null
 * @param stacktrace the failure's stack, or null
 * @param logs the lines written meanwhile, oldest first
 */
public record AttemptRecord(
    int attempt,
    Instant startedAt,
    @Nullable Instant endedAt,
    Status status,
    @Nullable String error,
    @Nullable String stacktrace,
    List<String> logs) {
  /** How a hand-out ended. The string values never change. */
  public enum Status {
    /** The handler returned. */
    COMPLETED("completed"),
    /** It failed, was cancelled or lost with its worker, or has not ended. */
    FAILED("failed"),
    /** The handler asked to be called later. */
    SNOOZED("snoozed");

    private final String value;

    Status(String value) {
      this.value = value;
    }

    /** The string that is stored and sent. */
    public String value() {
      return value;
    }
  }

  /** Copies the lines, cuts the instants to milliseconds and refuses null where it is not meant. */
  public AttemptRecord {
    startedAt = JobTimes.millis(startedAt);
    endedAt = JobTimes.millisOrNull(endedAt);
    Objects.requireNonNull(status);
    logs = List.copyOf(logs);
  }

  /** The same hand-out with these lines. */
  public AttemptRecord withLogs(List<String> lines) {
    return new AttemptRecord(attempt, startedAt, endedAt, status, error, stacktrace, lines);
  }
}
