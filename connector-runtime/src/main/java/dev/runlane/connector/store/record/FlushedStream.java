package dev.runlane.connector.store.record;

/**
 * What a sink has taken of one run in one stream.
 *
 * @param stream the stream
 * @param attempted records that it was given, in batches that it took
 * @param accepted those of them that are stored
 */
public record FlushedStream(String stream, long attempted, long accepted) {}
