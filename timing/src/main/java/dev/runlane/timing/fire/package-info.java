/** Fire times of schedules: once, at intervals, by cron expressions. */
@NullMarked
package dev.runlane.timing.fire;

import org.jspecify.annotations.NullMarked;
