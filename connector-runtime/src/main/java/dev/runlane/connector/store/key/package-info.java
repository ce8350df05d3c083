/**
 * What names a connection, a run and its fence, and what started it.
 */
@NullMarked
package dev.runlane.connector.store.key;

import org.jspecify.annotations.NullMarked;
