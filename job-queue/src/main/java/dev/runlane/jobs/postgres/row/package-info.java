/**
 * Statements, sessions and transactions, and the mapping between a job and its row. Internal: not for
 * applications.
 */
@NullMarked
package dev.runlane.jobs.postgres.row;

import org.jspecify.annotations.NullMarked;
