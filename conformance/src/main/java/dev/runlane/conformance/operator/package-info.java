/**
 * What operators are shown and do: processes, the outbox, paused queues, depths and the log of actions.
 */
@NullMarked
package dev.runlane.conformance.operator;

import org.jspecify.annotations.NullMarked;
