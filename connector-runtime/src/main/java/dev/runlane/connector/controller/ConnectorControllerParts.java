package dev.runlane.connector.controller;

import dev.runlane.connector.controller.registry.ConnectorRegistries;
import dev.runlane.connector.controller.registry.SecretSource;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.run.ConnectorRunner;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.timing.BlockingCalls;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Timers;

/**
 * What a controller is made of.
 *
 * @param store where runs are kept
 * @param admission accepts runs
 * @param registries which connectors there are
 * @param secrets where secrets come from
 * @param processes starts children, and distinguishes processes of this machine; started and closed by the controller
 * @param runner begins runs on them, into the same store
 * @param blocking where files are read
 * @param clock the present
 * @param timers act on the context that sets them
 * @param ids names runs, traces and events
 */
public record ConnectorControllerParts(
    ConnectorStore store,
    RunAdmission admission,
    ConnectorRegistries registries,
    SecretSource secrets,
    ChildProcesses processes,
    ConnectorRunner runner,
    BlockingCalls blocking,
    Clock clock,
    Timers timers,
    Ids ids) {}
