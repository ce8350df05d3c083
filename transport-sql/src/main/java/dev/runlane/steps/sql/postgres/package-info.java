/**
 * The two tables in Postgres, and signals over NOTIFY. Internal: not for applications.
 */
@NullMarked
package dev.runlane.steps.sql.postgres;

import org.jspecify.annotations.NullMarked;
