/**
 * A Postgres that fails over, restarts, fills its disk or stands behind PgBouncer.
 */
@NullMarked
package dev.runlane.drills.database;

import org.jspecify.annotations.NullMarked;
