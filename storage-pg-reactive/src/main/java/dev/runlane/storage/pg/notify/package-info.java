/**
 * NOTIFY and LISTEN: wakeups and cancellations for other processes. Internal: not for applications.
 */
@NullMarked
package dev.runlane.storage.pg.notify;

import org.jspecify.annotations.NullMarked;
