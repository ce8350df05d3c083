package dev.runlane.connector.store.manifest;

import java.time.Instant;
import java.util.Objects;

/**
 * Which manifest of a connector the owner has in use.
 *
 * @param connectorId the connector
 * @param version the manifest's version
 * @param fingerprint distinguishes it from others of this connector, see {@link
 *     dev.runlane.connector.protocol.manifest.ConnectorManifest#fingerprint}
 * @param activatedAt since when
 */
public record ActiveManifest(
    String connectorId, String version, String fingerprint, Instant activatedAt) {
  /** Refuses null. */
  public ActiveManifest {
    Objects.requireNonNull(connectorId);
    Objects.requireNonNull(version);
    Objects.requireNonNull(fingerprint);
    Objects.requireNonNull(activatedAt);
  }
}
