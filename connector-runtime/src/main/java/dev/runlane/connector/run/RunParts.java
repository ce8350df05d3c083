package dev.runlane.connector.run;

import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.store.RecordSink;
import dev.runlane.connector.store.RunEnds;
import dev.runlane.connector.store.RunTimeline;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;

/** What one run is made of. */
record RunParts(
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
