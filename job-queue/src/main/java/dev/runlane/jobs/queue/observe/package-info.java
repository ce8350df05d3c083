/** API: who is notified of what the queues and workers of a process do. */
@NullMarked
package dev.runlane.jobs.queue.observe;

import org.jspecify.annotations.NullMarked;
