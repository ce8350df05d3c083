package dev.runlane.storage;

import dev.runlane.storage.outbox.OutboxView;
import dev.runlane.storage.schedule.ScheduleStorage;
import dev.runlane.storage.step.StepStorage;

/**
 * What a storage may promise. A method that belongs to a capability which is not reported fails with
 * {@code CapabilityUnsupported}; it never answers empty.
 */
public enum StorageCapability {
  /** Committed state survives the loss of the adapter's process. */
  DURABLE_STATE("durableState"),
  /** No other process can open an equivalent adapter onto the same state. */
  PROCESS_LOCAL_STATE("processLocalState"),
  /** Guards {@code listRuns} and {@code listRunEvents}. */
  READS_RUN_HISTORY("readsRunHistory"),
  /** Guards {@code pruneRuns}. */
  PRUNES_RUNS("prunesRuns"),
  /**
   * Guards {@code claimRunLease}, {@code heartbeatRunLease}, {@code releaseRunLease}, {@code
   * listRunnableRuns} and {@code listRunsNeedingCancellationFinalization}.
   */
  LEASES_RUNS("leasesRuns"),
  /**
   * Guards {@code claimScheduleOccurrence}, {@code completeScheduleOccurrence} and {@link ScheduleStorage}.
   */
  CLAIMS_SCHEDULE_OCCURRENCES("claimsScheduleOccurrences"),
  /**
   * Guards the four outbox methods, {@code listRunsNeedingDelivery}, appends that claim their messages, and
   * {@link OutboxView}.
   */
  PERSISTS_OUTBOX("persistsOutbox"),
  /** Guards {@code getRunByIdempotencyKey}, {@code resetIdempotencyKey} and creation with such a key. */
  ENFORCES_IDEMPOTENCY("enforcesIdempotency"),
  /** Guards creation with a singleton key. */
  ENFORCES_SINGLETON("enforcesSingleton"),
  /** Guards {@code listRunsNeedingDispatch}, {@code reserveRunDispatch} and every command with a limit. */
  ENFORCES_QUEUE_CONCURRENCY("enforcesQueueConcurrency"),
  /** Guards {@link StepStorage} and appends that request remote steps. */
  PERSISTS_STEPS("persistsSteps");

  private final String value;

  StorageCapability(String value) {
    this.value = value;
  }

  /** The flag's name in JSON. */
  public String value() {
    return value;
  }
}
