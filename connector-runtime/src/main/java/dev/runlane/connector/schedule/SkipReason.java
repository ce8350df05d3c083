package dev.runlane.connector.schedule;

/** Why a run that was due was not started. The string values are stored and never change. */
public enum SkipReason {
  /** The connection has an active run. */
  RUN_ALREADY_ACTIVE("run_already_active"),
  /** A run of the schedule asked for a person, and the owner has not run the connector since. */
  ATTENTION_UNRESOLVED("attention_unresolved"),
  /** The manifest's refresh policy allows no automatic runs. */
  AUTOMATION_POLICY_BLOCKED("automation_policy_blocked"),
  /** The connector cannot run now. */
  NOT_READY("not_ready"),
  /** The last failure was one that only a person can mend. */
  NEEDS_HUMAN_ATTENTION("needs_human_attention"),
  /** The single-use grant was used. */
  GRANT_CONSUMED("single-use grant already consumed"),
  /** The grant can no longer be used; the schedule stops. */
  GRANT_UNUSABLE("grant no longer usable"),
  /** Failures came one after another. */
  BACK_OFF("scheduler_backoff_applied");

  private final String value;

  SkipReason(String value) {
    this.value = value;
  }

  /** The words that are stored and shown. */
  public String value() {
    return value;
  }
}
