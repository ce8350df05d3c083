package dev.runlane.run;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a run comes from; never rewritten by later events.
 *
 * @param type the kind of origin
 * @param sourceRunId the terminal run this one repeats; null unless a rerun or a manual retry
 * @param scheduleId the schedule that fired; null unless scheduled, like the next two
 * @param occurrenceId the deterministic id of the fire
 * @param fireAt the instant that was scheduled, which may lie before the run's creation
 */
public record RunSource(
    Type type,
    @Nullable String sourceRunId,
    @Nullable String scheduleId,
    @Nullable String occurrenceId,
    @Nullable Instant fireAt) {
  /** Refuses a null type and cuts the instant to microseconds. */
  public RunSource {
    Objects.requireNonNull(type);
    fireAt = fireAt == null ? null : fireAt.truncatedTo(ChronoUnit.MICROS);
  }

  /** A caller asked for the run. */
  public static final RunSource TRIGGER = new RunSource(Type.TRIGGER, null, null, null, null);

  /** A schedule fired. */
  public static RunSource schedule(String scheduleId, String occurrenceId, Instant fireAt) {
    return new RunSource(Type.SCHEDULE, null, scheduleId, occurrenceId, fireAt);
  }

  /** An operator ran a terminal run's task and payload again. */
  public static RunSource rerun(String sourceRunId) {
    return new RunSource(Type.RERUN, sourceRunId, null, null, null);
  }

  /** An operator recovered a failed run. */
  public static RunSource manualRetry(String sourceRunId) {
    return new RunSource(Type.MANUAL_RETRY, sourceRunId, null, null, null);
  }

  /** The kinds of origin. The string values never change. */
  public enum Type {
    /** A caller's request. */
    TRIGGER("trigger"),
    /** A schedule. */
    SCHEDULE("schedule"),
    /** An operator's rerun of any terminal run. */
    RERUN("rerun"),
    /** An operator's retry of a failed run. */
    MANUAL_RETRY("manual_retry");

    private final String value;

    Type(String value) {
      this.value = value;
    }

    /** The string that is stored and sent. */
    public String value() {
      return value;
    }
  }
}
