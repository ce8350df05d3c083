package dev.runlane.connector.store.key;

import java.util.Objects;

/**
 * One configured connection of a connector.
 *
 * @param connectorId the connector
 * @param instanceId the connection; for now always the connector's id
 */
public record ConnectorRef(String connectorId, String instanceId) {
  /** Refuses null. */
  public ConnectorRef {
    Objects.requireNonNull(connectorId);
    Objects.requireNonNull(instanceId);
  }

  /** The only connection of a connector. */
  public static ConnectorRef of(String connectorId) {
    return new ConnectorRef(connectorId, connectorId);
  }
}
