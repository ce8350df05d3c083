package dev.runlane.client;

import dev.runlane.jobs.JobState;
import dev.runlane.run.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job.
 *
 * @param id unique in its queue
 * @param queue the queue
 * @param name names the handler or category
 * @param state where it is
 * @param startedAttempts hand-outs so far
 * @param createdAt when it was made
 * @param delayUntil when it is due, or null
 * @param failedReason the last failure's message, or null
 * @param json all that was answered
 */
public record ApiJob(
    String id,
    String queue,
    String name,
    JobState state,
    int startedAttempts,
    Instant createdAt,
    @Nullable Instant delayUntil,
    @Nullable String failedReason,
    Json json) {}
