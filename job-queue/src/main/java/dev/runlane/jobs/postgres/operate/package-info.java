/**
 * What operators and schedules ask: reads, single changes, removal of whole queues, due schedules. Internal:
 * not for applications.
 */
@NullMarked
package dev.runlane.jobs.postgres.operate;

import org.jspecify.annotations.NullMarked;
