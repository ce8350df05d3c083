/**
 * What jobs of a queue are to each other: order, pauses, limits, groups, series, flows, and the queue's own
 * upkeep.
 */
@NullMarked
package dev.runlane.conformance.jobs.queue;

import org.jspecify.annotations.NullMarked;
