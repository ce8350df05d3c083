package dev.runlane.jobs.postgres;

import dev.runlane.jobs.JobRef;

/**
 * A line to be added to a log.
 *
 * @param job whose
 * @param text the line
 */
record JobLine(JobRef job, String text) {}
