/**
 * Runs that ended: what each brought and how it ended.
 */
@NullMarked
package dev.runlane.connector.store.history;

import org.jspecify.annotations.NullMarked;
