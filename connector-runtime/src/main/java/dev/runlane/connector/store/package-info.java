/**
 * What connector runs leave behind: records, cursors, the timeline of each run, the row of the run that is active,
 * schedules, history and grants; as interfaces that the engine, the controller and the scheduler share, and in memory
 * for a run in the foreground. Every write of a run carries its {@link dev.runlane.connector.store.key.RunFence} and
 * changes nothing once the run has lost it.
 */
@NullMarked
package dev.runlane.connector.store;

import org.jspecify.annotations.NullMarked;
