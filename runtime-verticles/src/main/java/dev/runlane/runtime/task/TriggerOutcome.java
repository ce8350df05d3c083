package dev.runlane.runtime.task;

/** What a trigger found. The string values never change. */
public enum TriggerOutcome {
  /** A new run was created. */
  CREATED("created"),
  /** Another run owns the idempotency key and is the answer. */
  IDEMPOTENT_EXISTING("idempotent_existing"),
  /** Another active run owns the singleton key and is the answer. */
  SINGLETON_EXISTING("singleton_existing");

  private final String value;

  TriggerOutcome(String value) {
    this.value = value;
  }

  /** The string that is sent and counted. */
  public String value() {
    return value;
  }
}
