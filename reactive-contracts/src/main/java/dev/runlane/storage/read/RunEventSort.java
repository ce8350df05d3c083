package dev.runlane.storage.read;

import java.util.Objects;

/**
 * The order of a list of events.
 *
 * @param field what is compared; equal instants are distinguished by event id
 * @param direction which end comes first
 */
public record RunEventSort(Field field, SortDirection direction) {
  /** Refuses null. */
  public RunEventSort {
    Objects.requireNonNull(field);
    Objects.requireNonNull(direction);
  }

  /** A run's history from its beginning. */
  public static final RunEventSort HISTORY = new RunEventSort(Field.SEQUENCE, SortDirection.ASC);

  /** What events are ordered by. The string values never change. */
  public enum Field {
    /** The place in one run's history; needs a run id in the filter. */
    SEQUENCE("sequence"),
    /** When the event occurred. */
    OCCURRED_AT("occurredAt");

    private final String value;

    Field(String value) {
      this.value = value;
    }

    /** The string in cursors and requests. */
    public String value() {
      return value;
    }
  }
}
