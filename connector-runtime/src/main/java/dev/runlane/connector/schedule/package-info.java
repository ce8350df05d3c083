/**
 * Runs of connectors by themselves: when a schedule is due, which failures are tried again, and what keeps a run from
 * being started. Every decision is made from rows, so that any process can make the next one, and a run is begun under
 * a claim that only one process holds.
 */
@NullMarked
package dev.runlane.connector.schedule;

import org.jspecify.annotations.NullMarked;
