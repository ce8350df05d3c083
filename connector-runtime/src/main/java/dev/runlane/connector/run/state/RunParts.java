package dev.runlane.connector.run.state;

import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.request.RunObserver;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.run.RunEnds;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;

/** What one run is made of. */
public record RunParts(
    ConnectorRunRequest request,
    ChildProcesses children,
    RecordSink sink,
    RunTimeline timeline,
    RunEnds ends,
    Clock clock,
    Timers timers,
    Ids ids,
    Randomness randomness,
    ConnectorRunOptions options,
    RunObserver observer) {}
