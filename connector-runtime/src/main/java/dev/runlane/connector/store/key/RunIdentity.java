package dev.runlane.connector.store.key;

import java.util.Objects;

/**
 * Which run something belongs to.
 *
 * @param runId the run
 * @param traceId joins everything that one request caused, {@code trc_…}
 * @param connector whose run it is
 */
public record RunIdentity(String runId, String traceId, ConnectorRef connector) {
  /** Refuses null. */
  public RunIdentity {
    Objects.requireNonNull(runId);
    Objects.requireNonNull(traceId);
    Objects.requireNonNull(connector);
  }
}
