package dev.runlane.run;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The types of run events. The string values are stored and sent and never change. */
public enum RunEventType {
  /** {@link RunEvent.Created}. */
  CREATED("run.created"),
  /** {@link RunEvent.DeliveryRequested}. */
  DELIVERY_REQUESTED("run.delivery_requested"),
  /** {@link RunEvent.LeaseClaimed}. */
  LEASE_CLAIMED("run.lease_claimed"),
  /** {@link RunEvent.LeaseHeartbeat}. */
  LEASE_HEARTBEAT("run.lease_heartbeat"),
  /** {@link RunEvent.Started}. */
  STARTED("run.started"),
  /** {@link RunEvent.Succeeded}. */
  SUCCEEDED("run.succeeded"),
  /** {@link RunEvent.Failed}. */
  FAILED("run.failed"),
  /** {@link RunEvent.RetryScheduled}. */
  RETRY_SCHEDULED("run.retry_scheduled"),
  /** {@link RunEvent.Released}. */
  RELEASED("run.released"),
  /** {@link RunEvent.StepRequested}. */
  STEP_REQUESTED("run.step_requested"),
  /** {@link RunEvent.StepCompleted}. */
  STEP_COMPLETED("run.step_completed"),
  /** {@link RunEvent.CancellationRequested}. */
  CANCELLATION_REQUESTED("run.cancellation_requested"),
  /** {@link RunEvent.Cancelled}. */
  CANCELLED("run.cancelled");

  private static final Map<String, RunEventType> BY_VALUE = Arrays.stream(values())
      .collect(Collectors.toUnmodifiableMap(RunEventType::value, Function.identity()));

  private final String value;

  RunEventType(String value) {
    this.value = value;
  }

  /** The string that is stored and sent, such as {@code run.created}. */
  public String value() {
    return value;
  }

  /** The type with this string value, or empty when there is none. */
  public static Optional<RunEventType> ofValue(String value) {
    return Optional.ofNullable(BY_VALUE.get(value));
  }
}
