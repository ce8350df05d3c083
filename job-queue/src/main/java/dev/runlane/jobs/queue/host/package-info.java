/**
 * The Vert.x context that one job queue works on, deadlines on it, and the way back to a caller's context.
 * Internal: not for applications.
 */
@NullMarked
package dev.runlane.jobs.queue.host;

import org.jspecify.annotations.NullMarked;
