/** Internal: the routes of processes, outbox, paused queues, depths and the log of actions. */
@NullMarked
package dev.runlane.console.operate;

import org.jspecify.annotations.NullMarked;
