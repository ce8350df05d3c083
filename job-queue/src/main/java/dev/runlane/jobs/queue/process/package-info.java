/**
 * What all queues and workers of one {@code Jobs} share: locks that are renewed, outcomes that are sent until
 * they are stored, events sent and received. Internal: not for applications.
 */
@NullMarked
package dev.runlane.jobs.queue.process;

import org.jspecify.annotations.NullMarked;
