package dev.runlane.storage.read;

import java.util.Objects;

/**
 * The order of a list of runs; equal instants are distinguished by run id, in the same direction.
 *
 * @param field what is compared
 * @param direction which end comes first
 */
public record RunSort(Field field, SortDirection direction) {
  /** Refuses null. */
  public RunSort {
    Objects.requireNonNull(field);
    Objects.requireNonNull(direction);
  }

  /** Newest first. */
  public static final RunSort NEWEST_FIRST = new RunSort(Field.CREATED_AT, SortDirection.DESC);

  /** What runs are ordered by. The string values never change. */
  public enum Field {
    /** When the run was created. */
    CREATED_AT("createdAt"),
    /**
     * When its last event occurred. A storage need not have an index of it for active runs: of very many, it may look
     * at those that were created last, and then says that its page {@linkplain Page#isCut() is cut}.
     */
    UPDATED_AT("updatedAt");

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
