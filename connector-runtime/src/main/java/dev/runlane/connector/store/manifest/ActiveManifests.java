package dev.runlane.connector.store.manifest;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * The manifests that owners have in use, at most one a connector. Futures fail with {@link
 * dev.runlane.run.ErrorCode#VALIDATION_FAILED} for texts that cannot be stored and with {@link
 * dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}.
 */
public interface ActiveManifests {
  /** Puts a manifest to use in the place of the connector's earlier one. Of several who do so at once the last wins. */
  Future<Void> activate(ActiveManifest manifest);

  /** Puts the connector's manifest out of use; whether there was one. */
  Future<Boolean> deactivate(String connectorId);

  /** The manifest of a connector, or empty when none was put to use. */
  Future<Optional<ActiveManifest>> find(String connectorId);

  /** All of them, by connector; bounded by the number of connectors. */
  Future<List<ActiveManifest>> list();
}
