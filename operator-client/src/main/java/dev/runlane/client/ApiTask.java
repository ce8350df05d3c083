package dev.runlane.client;

import dev.runlane.operator.task.RuntimeTask;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task that the server knows.
 *
 * @param task what is known of it; its queue is the empty text for the server's default
 * @param isLocal whether the server's own process has it, so that its code makes keys and tags
 * @param publishedBy which other process has said so; null for a local one
 * @param publishedAt when; null for a local one
 */
public record ApiTask(
    RuntimeTask task,
    boolean isLocal,
    @Nullable String publishedBy,
    @Nullable Instant publishedAt) {}
