/** How much waits, and since when: of queues, of the outbox, of remote steps, counted once for all who ask. */
@NullMarked
package dev.runlane.operator.depth;

import org.jspecify.annotations.NullMarked;
