package dev.runlane.storage.outbox;

/** Where an outbox message is in its life. The string values never change. */
public enum OutboxMessageStatus {
  /** New, not yet claimed. */
  PENDING("pending"),
  /** A publisher holds it. */
  CLAIMED("claimed"),
  /** The latest publish failed; it is due again later. */
  FAILED("failed"),
  /** The transport has it. */
  PUBLISHED("published"),
  /** Given up. */
  DEAD_LETTERED("dead_lettered");

  private final String value;

  OutboxMessageStatus(String value) {
    this.value = value;
  }

  /** The string that is stored and sent. */
  public String value() {
    return value;
  }
}
