package dev.runlane.connector.controller;

import dev.runlane.connector.protocol.CollectionMode;
import dev.runlane.run.Json;
import java.util.List;
import java.util.Map;
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
    boolean keepsState) {
  static ConnectorRunPayload of(RunRequest request) {
    CollectionMode mode = request.mode();
    Json scope = request.scope();
    return new ConnectorRunPayload(
        request.connectorId(),
        mode == null ? null : mode.value(),
        scope == null ? null : scope.text(),
        request.resources(),
        request.state() == RunRequest.StateUse.KEPT);
  }
}
