/**
 * A session, the mapping of rows and columns, lists of rows, and the queues that this process has bound.
 * Internal: not for applications.
 */
@NullMarked
package dev.runlane.storage.pg.row;

import org.jspecify.annotations.NullMarked;
