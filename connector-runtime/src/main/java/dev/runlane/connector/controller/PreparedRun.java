package dev.runlane.connector.controller;

import dev.runlane.connector.process.ChildCommand;
import dev.runlane.connector.protocol.CollectionMode;
import dev.runlane.connector.protocol.ConnectorManifest;
import dev.runlane.connector.protocol.Redaction;
import dev.runlane.connector.protocol.StartScope;
import dev.runlane.connector.store.ActiveRun;
import java.net.URI;
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
 * @param browserSurface where its browser answers
 */
public record PreparedRun(
    ActiveRun run,
    ConnectorManifest manifest,
    StartScope scope,
    @Nullable CollectionMode mode,
    RunRequest.StateUse state,
    ChildCommand command,
    Redaction redaction,
    Optional<URI> browserSurface) {}
