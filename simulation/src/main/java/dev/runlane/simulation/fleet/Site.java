package dev.runlane.simulation.fleet;

import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.network.WakeupTransport;
import dev.runlane.simulation.operator.EndWatch;
import dev.runlane.simulation.watch.LimitHistory;
import dev.runlane.simulation.watch.StoredRuns;
import dev.runlane.simulation.watch.UpTimes;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.StorageAdapter;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What all processes of a fleet share.
 *
 * @param storage at the other end of every line
 * @param stored what is there
 * @param failovers the takeovers by a standby of the storage; empty: there is none
 * @param transport wakeups
 * @param steps workers of remote steps; empty: there are none
 * @param handlers what handlers saw
 * @param stops what is looked at when a process has ended
 * @param ends who is told of the ends of runs
 * @param upTimes when processes were there
 * @param limits of the shared queue
 * @param trips how long each way to the storage takes
 * @param restarts how long a supervisor waits
 * @param found is told of everything that must not be
 */
record Site(
    long seed,
    Setup setup,
    Faults faults,
    VirtualTime time,
    Trace trace,
    StorageAdapter storage,
    StoredRuns stored,
    Optional<Failovers> failovers,
    WakeupTransport transport,
    Optional<StepWorkers> steps,
    HandlerLog handlers,
    StopRules stops,
    EndWatch ends,
    UpTimes upTimes,
    LimitHistory limits,
    Chance trips,
    Chance restarts,
    Consumer<Violation> found) {}
