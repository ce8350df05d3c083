/**
 * A connector store in memory, for a run in the foreground and for tests.
 */
@NullMarked
package dev.runlane.connector.store.memory;

import org.jspecify.annotations.NullMarked;
