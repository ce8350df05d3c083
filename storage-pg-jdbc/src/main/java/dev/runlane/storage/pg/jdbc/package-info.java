/**
 * Triggers from an application that blocks: {@link dev.runlane.storage.pg.jdbc.JdbcTriggers} creates runs over a
 * {@code java.sql.Connection} of the application's own, in its transaction. No class of Vert.x is loaded.
 */
@NullMarked
package dev.runlane.storage.pg.jdbc;

import org.jspecify.annotations.NullMarked;
