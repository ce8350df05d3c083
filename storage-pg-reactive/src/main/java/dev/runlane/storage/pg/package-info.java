/**
 * Runs in Postgres: {@link dev.runlane.storage.pg.PgStorageAdapter} and the wakeup transport over NOTIFY.
 *
 * <p>Concurrent commands of the process are gathered into statements over arrays; each statement is a
 * transaction of its own, takes its locks in one order everywhere (owners, events, runs by id, capacity
 * rows) and answers what became of every command.
 */
@NullMarked
package dev.runlane.storage.pg;

import org.jspecify.annotations.NullMarked;
