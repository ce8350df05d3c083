/**
 * Internal: what all roles of one process share: its context, guarded adapters, appends, notifications
 * between roles, clock and close bounds, logs.
 */
@NullMarked
package dev.runlane.runtime.process;

import org.jspecify.annotations.NullMarked;
