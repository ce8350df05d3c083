package dev.runlane.jobs;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Where a job is. The string values never change. Cancelled is no state, but failed with {@code cancelledAt}. */
public enum JobState {
  /** Can be fetched. */
  WAITING("waiting"),
  /** A flow's parent with open children. */
  WAITING_CHILDREN("waiting-children"),
  /** Waits for its due time. */
  DELAYED("delayed"),
  /** With a worker. */
  ACTIVE("active"),
  /** Ended by the handler's return. */
  COMPLETED("completed"),
  /** Ended otherwise. */
  FAILED("failed");

  private static final Map<String, JobState> BY_VALUE = Arrays.stream(values())
      .collect(Collectors.toUnmodifiableMap(JobState::value, Function.identity()));

  private final String value;

  JobState(String value) {
    this.value = value;
  }

  /** The string that is stored and sent. */
  public String value() {
    return value;
  }

  /** Whether a job in this state has ended; all others are open. */
  public boolean isTerminal() {
    return this == COMPLETED || this == FAILED;
  }

  /** The state with this string value, or empty when there is none. */
  public static Optional<JobState> ofValue(String value) {
    return Optional.ofNullable(BY_VALUE.get(value));
  }
}
