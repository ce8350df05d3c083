/**
 * What the Postgres modules share besides their statements: the migration runner, the mapping of failures, the
 * gathering of concurrent commands into one statement, and the one LISTEN connection of a process. Not
 * for applications: exported to Runlane's Postgres modules alone.
 */
@NullMarked
package dev.runlane.postgres;

import org.jspecify.annotations.NullMarked;
