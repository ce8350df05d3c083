/**
 * Internal: what all roles of one process share: its context, guarded adapters, appends, notifications
 * between roles, clock and close bounds.
 */
@NullMarked
package dev.runlane.runtime.process;

import org.jspecify.annotations.NullMarked;
