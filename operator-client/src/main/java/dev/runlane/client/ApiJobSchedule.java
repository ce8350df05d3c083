package dev.runlane.client;

import dev.runlane.run.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A named schedule of jobs.
 *
 * @param key its name, unique in the queue
 * @param queueName the queue its jobs go to
 * @param jobName the name of its jobs
 * @param nextAt its next fire, or null when none follows
 * @param fired how often it has fired since its repetition was last changed
 * @param lastFiredAt when it fired last, as it was due, or null
 * @param json all that was answered, with payload, repetition and options
 */
public record ApiJobSchedule(
    String key,
    String queueName,
    String jobName,
    @Nullable Instant nextAt,
    long fired,
    @Nullable Instant lastFiredAt,
    Json json) {}
