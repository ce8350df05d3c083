package dev.runlane.jobs.postgres;

import io.vertx.sqlclient.Tuple;

/**
 * A statement that is sent without waiting for the one before.
 *
 * @param sql its text
 * @param parameters its parameters
 */
record SentStatement(String sql, Tuple parameters) {}
