package dev.runlane.connector.store.key;

import java.util.Objects;

/**
 * What a run writes with: its place in the active-run row. Once the row is gone, or somebody else took the run over
 * and so raised the generation, every write with this fence is answered as fenced out and changes nothing.
 *
 * @param instanceId the connection that the run has locked
 * @param runId the run
 * @param generation rises with each run and each taking over; unique in a store
 */
public record RunFence(String instanceId, String runId, long generation) {
  /** Refuses null. */
  public RunFence {
    Objects.requireNonNull(instanceId);
    Objects.requireNonNull(runId);
  }
}
