package dev.runlane.connector.store.record;

import dev.runlane.run.Json;
import org.jspecify.annotations.Nullable;

/**
 * A record as a sink keeps it.
 *
 * @param key what it is known by, as {@link dev.runlane.connector.protocol.message.RecordMessage#key()}
 * @param version 1, and one more with each change
 * @param data as it was written, or null when it is deleted
 * @param emittedAt when the connector says it was emitted, of the latest change
 * @param deleted whether the thing is gone
 */
public record StoredRecord(
    String key, long version, @Nullable Json data, String emittedAt, boolean deleted) {}
