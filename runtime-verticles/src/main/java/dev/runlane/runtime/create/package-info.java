/**
 * Internal: from a trigger to a stored run, and to its wakeup published behind the commit.
 */
@NullMarked
package dev.runlane.runtime.create;

import org.jspecify.annotations.NullMarked;
