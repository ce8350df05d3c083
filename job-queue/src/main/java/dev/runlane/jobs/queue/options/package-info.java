/**
 * Options of a job queue and of its workers.
 */
@NullMarked
package dev.runlane.jobs.queue.options;

import org.jspecify.annotations.NullMarked;
