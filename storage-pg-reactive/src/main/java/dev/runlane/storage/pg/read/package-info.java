/**
 * Reads, scans, occurrences of schedules, and pruning. Internal: not for applications.
 */
@NullMarked
package dev.runlane.storage.pg.read;

import org.jspecify.annotations.NullMarked;
