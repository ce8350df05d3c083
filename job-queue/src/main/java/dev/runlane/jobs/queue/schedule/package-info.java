/**
 * When a queue has work by itself: the next job of a series, due schedules and delayed jobs, removals.
 * Internal: not for applications.
 */
@NullMarked
package dev.runlane.jobs.queue.schedule;

import org.jspecify.annotations.NullMarked;
