package dev.runlane.transport;

/** Why a wakeup needed no work. The string values never change. */
public enum IgnoredReason {
  /** The run has ended. */
  TERMINAL("terminal"),
  /** The run is due later; storage wakes it then. */
  NOT_DUE("not_due"),
  /** The run is in another queue than the wakeup says. */
  WRONG_QUEUE("wrong_queue"),
  /** Another worker has the run. */
  ALREADY_LEASED("already_leased"),
  /** Another worker was faster, or the queue has no free slot. */
  CLAIM_LOST("claim_lost"),
  /** An operator has paused the queue; when it is resumed, a worker finds the run. */
  QUEUE_PAUSED("queue_paused"),
  /** The attempt was given up because its lease was lost. */
  ABANDONED("abandoned"),
  /** The run does not exist, or does not exist any more. */
  NOT_FOUND("not_found");

  private final String value;

  IgnoredReason(String value) {
    this.value = value;
  }

  /** The string that is counted and sent. */
  public String value() {
    return value;
  }
}
