/**
 * Connector runs in Postgres. What a run stores is fenced by the row of the active run, whose generation every
 * statement checks itself; a run's end is one transaction.
 */
@NullMarked
package dev.runlane.connector.store.pg;

import org.jspecify.annotations.NullMarked;
