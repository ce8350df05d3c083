package dev.runlane.jobs;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The type of an event. The string values never change. */
public enum StoreEventType {
  /** A job can be fetched. */
  JOB_WAITING("job:waiting"),
  /** A flow's parent waits for its children. */
  JOB_WAITING_CHILDREN("job:waiting-children"),
  /** A job was handed out. */
  JOB_ACTIVE("job:active"),
  /** A job completed. */
  JOB_COMPLETED("job:completed"),
  /** A job failed for good. */
  JOB_FAILED("job:failed"),
  /** A job's progress changed; the data is the number. */
  JOB_PROGRESS("job:progress"),
  /** A job's worker was lost. */
  JOB_STALLED("job:stalled"),
  /** A job waits for its due time. */
  JOB_DELAYED("job:delayed"),
  /** A job was removed. */
  JOB_REMOVED("job:removed"),
  /** A job's cancellation was asked for, or it ended as cancelled. */
  JOB_CANCELLED("job:cancelled"),
  /** A queue was drained. */
  QUEUE_DRAINED("queue:drained"),
  /** A queue, or a name in it, was paused. */
  QUEUE_PAUSED("queue:paused"),
  /** A queue, or a name in it, was resumed. */
  QUEUE_RESUMED("queue:resumed"),
  /** Something failed that belongs to no job. */
  QUEUE_ERROR("queue:error");

  private static final Map<String, StoreEventType> BY_VALUE = Arrays.stream(values())
      .collect(Collectors.toUnmodifiableMap(StoreEventType::value, Function.identity()));

  private final String value;

  StoreEventType(String value) {
    this.value = value;
  }

  /** The string that is sent. */
  public String value() {
    return value;
  }

  /** The type with this string value, or empty when there is none. */
  public static Optional<StoreEventType> ofValue(String value) {
    return Optional.ofNullable(BY_VALUE.get(value));
  }
}
