/**
 * API: what the options of every Postgres module have in common: connections, schema, timeouts, gathering.
 */
@NullMarked
package dev.runlane.postgres.options;

import org.jspecify.annotations.NullMarked;
