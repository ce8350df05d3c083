package dev.runlane.cli.report;

/**
 * A record that no store can take.
 *
 * @param stream its stream
 * @param key its key
 * @param code why, such as {@code invalid_record_identity}: its key is not that of its data
 */
public record Rejected(String stream, String key, String code) {}
