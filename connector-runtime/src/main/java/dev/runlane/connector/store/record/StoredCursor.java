package dev.runlane.connector.store.record;

import dev.runlane.run.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where a stream continues.
 *
 * @param stream the stream
 * @param cursor a JSON object or null
 * @param runId the run that stored it, or null when the owner did or the sink does not tell
 * @param recordsAccepted how many records of the stream that run had accepted when it staged the cursor, 0 when not
 *     told
 * @param updatedAt when it was stored, or null when the sink does not tell
 */
public record StoredCursor(
    String stream,
    Json cursor,
    @Nullable String runId,
    long recordsAccepted,
    @Nullable Instant updatedAt) {}
