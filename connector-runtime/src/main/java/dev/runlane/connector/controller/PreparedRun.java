package dev.runlane.connector.controller;

import dev.runlane.connector.process.ChildCommand;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.run.request.BrowserSurface;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.store.key.AutomationMode;
import dev.runlane.connector.store.run.ActiveRun;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A run that can be launched.
 *
 * @param run its row
 * @param manifest the connector's
 * @param scope what it may send
 * @param mode how much it collects, or null where nobody said
 * @param state whether cursors are read and kept
 * @param command what is started, secrets included
 * @param redaction knows these secrets
 * @param surface its browser, where it has one
 */
record PreparedRun(
    ActiveRun run,
    ConnectorManifest manifest,
    StartScope scope,
    @Nullable CollectionMode mode,
    RunRequest.StateUse state,
    ChildCommand command,
    Redaction redaction,
    Optional<BrowserSurface> surface) {
  /** What the engine takes. Whoever started the run, the owner can answer: over HTTP, while the child waits. */
  ConnectorRunRequest request() {
    return new ConnectorRunRequest(
        run,
        manifest,
        scope,
        mode,
        state == RunRequest.StateUse.KEPT,
        command,
        redaction,
        true,
        surface.orElse(null),
        run.trigger().mode() == AutomationMode.UNATTENDED);
  }
}
