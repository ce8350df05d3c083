package dev.runlane.jobs.postgres.log;

import dev.runlane.jobs.JobRef;
import org.jspecify.annotations.Nullable;

/**
 * A line to be added to a log.
 *
 * @param job whose
 * @param text the line
 * @param token of the hand-out that must still run, or null
 */
public record JobLine(JobRef job, String text, @Nullable String token) {}
