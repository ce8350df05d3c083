/** Queues that are paused and resumed, and the slots that runs hold in them. */
@NullMarked
package dev.runlane.operator.queue;

import org.jspecify.annotations.NullMarked;
