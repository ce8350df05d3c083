package dev.runlane.cli;

import dev.runlane.connector.protocol.RecordMessage;

/**
 * A record that no store can take.
 *
 * @param code why, such as {@code invalid_record_identity}: its key is not that of its data
 */
record Rejected(RecordMessage record, String code) {}
