package dev.runlane.run;

/** Which race a {@link ErrorCode#STORAGE_CONFLICT} was lost in. The string values never change. */
public enum StorageConflictKind {
  /** The run has moved on since its sequence was read. */
  EVENT_SEQUENCE("event_sequence"),
  /** Another run owns the idempotency key. */
  IDEMPOTENCY_KEY("idempotency_key"),
  /** Another run owns the singleton key. */
  SINGLETON_KEY("singleton_key"),
  /** The lease is not, or no longer, the caller's. */
  LEASE_OWNERSHIP("lease_ownership"),
  /** The claim on an outbox message is not, or no longer, the caller's. */
  OUTBOX_CLAIM("outbox_claim"),
  /** The claim on a schedule occurrence is not, or no longer, the caller's. */
  SCHEDULE_OCCURRENCE("schedule_occurrence"),
  /** A bounded queue has no free slot for the run, or a bounded group of jobs no place. */
  QUEUE_CAPACITY("queue_capacity"),
  /** An operator has paused the queue. */
  QUEUE_PAUSED("queue_paused"),
  /** A job, or one of its queue, is in another state than the command needs. */
  JOB_STATE("job_state"),
  /** Another job has the id. */
  JOB_ID("job_id");

  private final String value;

  StorageConflictKind(String value) {
    this.value = value;
  }

  /** The string found under {@link RunlaneException#CONFLICT_KIND} in the failure's meta. */
  public String value() {
    return value;
  }
}
