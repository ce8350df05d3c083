/**
 * What an operator is shown and does beside the runs themselves: processes, the outbox, paused queues, depths and the
 * log of actions.
 */
@NullMarked
package dev.runlane.operator;

import org.jspecify.annotations.NullMarked;
