/**
 * Occurrences of schedules, each claimed by one process, and which schedules an environment knows.
 */
@NullMarked
package dev.runlane.storage.schedule;

import org.jspecify.annotations.NullMarked;
