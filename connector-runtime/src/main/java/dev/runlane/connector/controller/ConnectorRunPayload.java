package dev.runlane.connector.controller;

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
    @Nullable String fingerprint) {
  /**
   * The payload of a run.
   *
   * @param fingerprint of the manifest that was in use when it was accepted
   */
  static ConnectorRunPayload of(RunRequest request, Optional<String> fingerprint) {
    CollectionMode mode = request.mode();
    Json scope = request.scope();
    return new ConnectorRunPayload(
        request.connectorId(),
        mode == null ? null : mode.value(),
        scope == null ? null : scope.text(),
        request.resources(),
        request.state() == RunRequest.StateUse.KEPT,
        fingerprint.orElse(null));
  }
}
