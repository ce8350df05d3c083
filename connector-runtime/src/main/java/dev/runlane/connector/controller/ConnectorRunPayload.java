package dev.runlane.connector.controller;

import dev.runlane.connector.controller.registry.ConnectorFolder;
import dev.runlane.connector.controller.registry.ConnectorRegistries;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.run.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a run must know again when it is launched, be it by another process than the one that accepted it. The rest
 * is in its active-run row.
 */
record ConnectorRunPayload(
    String connectorId,
    @Nullable String mode,
    @Nullable String scope,
    Map<String, List<String>> resources,
    boolean keepsState,
    @Nullable String fingerprint,
    @Nullable String connectorFingerprint) {
  /** The name of this member. */
  static final String CONNECTOR_FINGERPRINT = "connectorFingerprint";

  /**
   * The payload of a run.
   *
   * @param fingerprint of the manifest that was in use when it was accepted
   * @param connector the one that it was accepted for
   */
  static ConnectorRunPayload of(
      RunRequest request, Optional<String> fingerprint, ConnectorFolder connector) {
    CollectionMode mode = request.mode();
    Json scope = request.scope();
    return new ConnectorRunPayload(
        request.connectorId(),
        mode == null ? null : mode.value(),
        scope == null ? null : scope.text(),
        request.resources(),
        request.state() == RunRequest.StateUse.KEPT,
        fingerprint.orElse(null),
        connector.manifest().fingerprint());
  }

  /**
   * The connector that the run was accepted for; empty when there is none here with its manifest. Where an earlier
   * release accepted it, which did not say, it is the one that the registries have.
   */
  Optional<ConnectorFolder> connector(ConnectorRegistries registries) {
    return connectorFingerprint == null
        ? registries.resolve(connectorId, Optional.ofNullable(fingerprint))
        : registries.find(connectorId, connectorFingerprint);
  }
}
