/**
 * Internal: claims of due runs, the leases a process holds, their heartbeats and their ends.
 */
@NullMarked
package dev.runlane.runtime.lease;

import org.jspecify.annotations.NullMarked;
