package dev.runlane.connector.run.request;

import dev.runlane.connector.process.ChildCommand;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.store.run.ActiveRun;
import org.jspecify.annotations.Nullable;

/**
 * What is to be run.
 *
 * @param active the run's place among the active ones: its ids, trigger, grant and fence
 * @param manifest the connector's
 * @param scope what it may send
 * @param mode how much is collected; a full refresh is given no cursors. Null where nobody said: then it is
 *     incremental, or full for a schedule's run that finds no cursor
 * @param persistState whether cursors are given to the connector and stored after success
 * @param command how the child is started
 * @param redaction knows the secrets that the child is started with, and learns those that are submitted
 * @param interactive whether somebody can answer questions
 * @param surface the browser that the owner can see, or null when there is none
 * @param unattended whether nobody watches, so that the limit for silent unattended runs holds
 */
public record ConnectorRunRequest(
    ActiveRun active,
    ConnectorManifest manifest,
    StartScope scope,
    @Nullable CollectionMode mode,
    boolean persistState,
    ChildCommand command,
    Redaction redaction,
    boolean interactive,
    @Nullable BrowserSurface surface,
    boolean unattended) {}
