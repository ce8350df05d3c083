package dev.runlane.storage.pg.jdbc;

/**
 * What a trigger found.
 *
 * @param runId the new run, or the one that owns its key
 * @param outcome which of them
 */
public record TriggeredRun(String runId, Outcome outcome) {
  /** Which run it is. The string values are those of {@code runlane.trigger} in SQL. */
  public enum Outcome {
    /** A new run, which exists if the transaction commits. */
    CREATED("created"),
    /** The run that owns the idempotency key. */
    IDEMPOTENT_EXISTING("idempotent_existing"),
    /** The active run that owns the singleton key. */
    SINGLETON_EXISTING("singleton_existing");

    private final String value;

    Outcome(String value) {
      this.value = value;
    }

    /** The string that is sent and counted. */
    public String value() {
      return value;
    }
  }
}
