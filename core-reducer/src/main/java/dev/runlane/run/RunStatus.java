package dev.runlane.run;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Where a run is in its life. The string values are stored and sent and never change. */
public enum RunStatus {
  /** Nobody owns it yet. */
  QUEUED("queued"),
  /** Its wakeup is due later. */
  SCHEDULED("scheduled"),
  /** A worker leases it. */
  RUNNING("running"),
  /** It waits because an attempt failed. */
  RETRYING("retrying"),
  /** It waits because the handler asked to. */
  RELEASED("released"),
  /** A worker leases it and was asked to stop. */
  CANCELLATION_REQUESTED("cancellation_requested"),
  /** Terminal: the handler succeeded. */
  SUCCEEDED("succeeded"),
  /** Terminal: no retry was left or permitted. */
  FAILED("failed"),
  /** Terminal: it was cancelled. */
  CANCELLED("cancelled");

  private static final Map<String, RunStatus> BY_VALUE = Arrays.stream(values())
      .collect(Collectors.toUnmodifiableMap(RunStatus::value, Function.identity()));

  private final String value;

  RunStatus(String value) {
    this.value = value;
  }

  /** The string that is stored and sent, such as {@code cancellation_requested}. */
  public String value() {
    return value;
  }

  /** The status with this string value, or empty when there is none. */
  public static Optional<RunStatus> ofValue(String value) {
    return Optional.ofNullable(BY_VALUE.get(value));
  }

  /** Whether events may still follow. */
  public boolean isActive() {
    return !isTerminal();
  }

  /** Whether the run has ended for ever. */
  public boolean isTerminal() {
    return this == SUCCEEDED || this == FAILED || this == CANCELLED;
  }

  /** Whether a worker may claim such a run once it is due. */
  public boolean isRunnableCandidate() {
    return this == QUEUED || this == RUNNING || isWaiting();
  }

  /** Whether such a run needs a fresh delivery request once it is due; a queued run already has one. */
  public boolean isDeliveryRecoveryCandidate() {
    return this == RUNNING || isWaiting();
  }

  /** Whether maintenance cancels such a run once its lease has expired. */
  public boolean isCancellationFinalizationCandidate() {
    return this == CANCELLATION_REQUESTED;
  }

  /** Whether a worker's lease belongs to the status. */
  public boolean isLeased() {
    return this == RUNNING || this == CANCELLATION_REQUESTED;
  }

  private boolean isWaiting() {
    return this == SCHEDULED || this == RETRYING || this == RELEASED;
  }
}
